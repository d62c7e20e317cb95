import { defineConfig } from 'tsup'
import { keptConstants } from './kept-constants.js'
import { pureConstants } from './pure-constants.js'

const common = {
  format: ['esm'],
  target: 'node20',
  sourcemap: true,
  clean: true,
  silent: true,
  plugins: [keptConstants],
}

/** A published library: one ES module and one declaration file per entry. */
export const library = (entry, options = {}) =>
  defineConfig({
    ...common,
    entry,
    esbuildPlugins: [pureConstants],
    // tsup still sets baseUrl for the declaration build, which TypeScript 6 reports as deprecated;
    // of other packages it reads the declarations that are built already, not all of their sources
    dts: { compilerOptions: { ignoreDeprecations: '6.0', customConditions: [] } },
    ...options,
  })

/** A program: no declarations, dependencies stay outside the bundle. */
export const application = (entry, options = {}) => defineConfig({ ...common, entry, ...options })
