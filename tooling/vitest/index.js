import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// '@sched/source' makes every workspace package resolve to its sources, so tests need no build.
const conditions = ['@sched/source', 'module', 'node', 'development|production']

const repository = fileURLToPath(new URL('../../', import.meta.url))
/** Another folder for other dependencies: vitest empties one that is not of the same, under the hands of what runs beside it. */
const transformed = join(repository, 'node_modules/.vitest-modules', createHash('sha256').update(readFileSync(join(repository, 'pnpm-lock.yaml'))).digest('hex').slice(0, 16))

export default defineConfig({
  root: repository, // the same for all packages, so that what one has transformed serves the others
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    dir: process.cwd(),
    include: ['test/**/*.test.ts'],
    // `// @module-tag long` in a file, or { tags: 'long' } of a suite or test: left out unless SCHED_TESTS is `all`.
    tags: [{ name: 'long', description: 'many more random worlds, options or processes of what other tests look at, too' }],
    tagsFilter: process.env.SCHED_TESTS === 'all' ? [] : ['!long'],
    passWithNoTests: true,
    testTimeout: 120_000, // a hang is found in time on a slow or busy machine, too
    hookTimeout: 120_000,
    isolate: false, // a worker imports a module once and not once per file, which was most of the time
    maxWorkers: Math.min(4, Math.ceil(availableParallelism() / 2)), // turbo runs two packages at a time, and more workers than cores only compile everything once more
    // Thousands of small worlds: V8 would take them for long-lived and make their parts old from the start, and such a part keeps all of the next worlds alive.
    execArgv: ['--max-semi-space-size=64', '--no-allocation-site-pretenuring'],
    // Transformed sources, kept by their content; one folder for all packages. After moving what a package exports: `vitest --clearCache`.
    experimental: { fsModuleCache: true, fsModuleCachePath: transformed },
    silent: 'passed-only',
    reporters: ['default', 'json'],
    outputFile: { json: join(process.cwd(), '.vitest/report.json') }, // summed by tooling/scripts/sum-tests.mjs
  },
})
