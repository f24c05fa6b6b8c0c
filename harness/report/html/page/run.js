/** Installs the buttons on the page of a run. The page is readable without it. */
import { installCopying } from './copy.js';

installCopying();
document.documentElement.dataset['ready'] = 'true';
