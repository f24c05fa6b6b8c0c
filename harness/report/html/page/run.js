/** Brings the page of a run to life: its buttons. All of it can be read without. */
import { installCopying } from './copy.js';

installCopying();
document.documentElement.dataset['ready'] = 'true';
