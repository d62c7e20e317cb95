import { defineConfig } from 'vitest/config'

// Only for one merged coverage report; `pnpm test` runs each package by itself, cached.
export default defineConfig({
  test: {
    projects: ['packages/*/vitest.config.js', 'apps/*/vitest.config.js'],
    maxWorkers: 2,
    coverage: { provider: 'v8', include: ['packages/*/src/**', 'apps/*/src/**'], reporter: ['text-summary', 'html'] },
  },
})
