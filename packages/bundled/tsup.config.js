import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { library } from '../../tooling/tsup/index.js'

const libraries = { ddsketch: '@datadog/sketches-js', jstat: 'jstat', yaml: 'yaml', zod: 'zod' }
const folder = (library) => dirname(createRequire(import.meta.url).resolve(`${library}/package.json`))

/** The ES modules of `yaml`, which it gives browsers alone: what is not used of CommonJS cannot be left out. */
const yamlModules = {
  name: 'yaml-modules',
  setup: (build) => build.onResolve({ filter: /^yaml$/ }, () => ({ path: join(folder('yaml'), 'browser/index.js') })),
}

export default library(Object.fromEntries(Object.keys(libraries).map((name) => [name, `src/${name}.ts`])), {
  noExternal: Object.values(libraries),
  external: ['protobufjs/minimal'], // what ddsketch would write itself with
  sourcemap: false,
  // The text of a module stays in memory as long as it is loaded. Names and white space stay: with it goes what tells bundlers which calls are without effects.
  esbuildOptions: (options) => Object.assign(options, { minifySyntax: true, legalComments: 'none' }),
  esbuildPlugins: [yamlModules],
  onSuccess: async () => {
    for (const [name, library] of Object.entries(libraries)) await copyFile(join(folder(library), 'LICENSE'), `dist/${name}.LICENSE`) // of what is inside
  },
})
