import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'tsup'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of `main.js` and `worker.js`. */
    program: string
  }
}

/** Where a plug-in without anything installed finds it, built or not. */
const core = 'node_modules/@sched/core'

/** Builds the program once for all tests that start processes or threads of their own: bundled it starts ten times faster than from its sources. */
export async function setup({ provide }: TestProject): Promise<void> {
  const app = join(import.meta.dirname, '..')
  const program = join(app, '.vitest') // as deep as dist: the version is read from package.json above
  await build({
    config: false,
    entry: { main: join(app, 'src/main.ts'), worker: join(app, 'src/threads/worker.ts'), [`${core}/index`]: join(app, '../../packages/core/src/index.ts') },
    outDir: program,
    format: 'esm',
    target: 'node20',
    silent: true,
    clean: ['!*.json'], // pieces of an earlier build, not the reports
    noExternal: [/^(?!piscina)/],
    esbuildOptions: (options) => {
      options.conditions = ['@sched/source', 'module']
      options.external = ['piscina', 'protobufjs'] // the one starts files of its own, the other is optional and absent
    },
    banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)" },
  })
  writeFileSync(join(program, core, 'package.json'), '{ "name": "@sched/core", "type": "module", "exports": "./index.js" }\n')
  provide('program', program)
}
