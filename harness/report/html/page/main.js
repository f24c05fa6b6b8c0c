/** Makes the page interactive. The story is readable without it. */
import { installCopying } from './copy.js';
import { readReport } from './data.js';
import { installHistory } from './history.js';
import { installKnowledge } from './knowledge.js';
import { Moments } from './moment.js';
import { installStory } from './story.js';

const report = readReport();
const moments = new Moments(report);
installCopying();
installStory(moments);
installKnowledge(report, moments);
installHistory(report, moments);
moments.select(moments.index);
document.documentElement.dataset['ready'] = 'true';
