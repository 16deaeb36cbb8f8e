import { defineConfig } from 'vite';

// The script of a report, which is copied into each report.
export default defineConfig({
  build: {
    outDir: '../bundle',
    emptyOutDir: false,
    lib: { entry: 'src/report.js', formats: ['es'], fileName: () => 'report.js', cssFileName: 'report' },
  },
});
