import { defineConfig } from 'vite';
import { svelte } from '@sveltejs/vite-plugin-svelte';

// One script and one sheet with fixed names, which the server embeds.
export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: {
    outDir: '../bundle',
    emptyOutDir: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        entryFileNames: 'studio.js',
        assetFileNames: 'studio[extname]',
        codeSplitting: false,
      },
    },
  },
});
