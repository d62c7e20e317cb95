import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// '@sched/source' makes every workspace package resolve to its sources, so tests need no build.
const conditions = ['@sched/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    // `// @module-tag long` in a file, or { tags: 'long' } of a suite or test: `test` leaves these out, `test:long` runs them alone.
    tags: [{ name: 'long', description: 'many more random worlds, options or processes of what other tests look at, too' }],
    passWithNoTests: true,
    testTimeout: 120_000, // a hang is found in time on a slow or busy machine, too
    hookTimeout: 120_000,
    isolate: false, // a worker imports a module once and not once per file, which was most of the time
    maxWorkers: Math.min(4, Math.ceil(availableParallelism() / 2)), // turbo runs two packages at a time, and more workers than cores only compile everything once more
    // Thousands of small worlds: V8 would take them for long-lived and make their parts old from the start, and such a part keeps all of the next worlds alive.
    execArgv: ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'],
    // Transformed sources, kept by their content; a folder per package, as two run at a time. After moving what a package exports: `vitest --clearCache`.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.vitest-modules' },
    silent: 'passed-only',
    reporters: ['default', 'json'],
    outputFile: { json: '.vitest/report.json' }, // summed by tooling/scripts/sum-tests.mjs
  },
})
