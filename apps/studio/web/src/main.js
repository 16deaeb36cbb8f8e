import { mount } from 'svelte';
import './theme.css';
import App from './App.svelte';
import { studio } from './studio.svelte.js';

// The tests of the stories look at what the page knows.
globalThis.studio = studio;
mount(App, { target: document.getElementById('app') });
