import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import ts from 'typescript-eslint'

const seeded = 'Draw from a named stream of the simulation: the same seed must give the same run.'
const simulated = 'Use the time of the simulation: the same seed must give the same run.'
const locale = 'Results must not depend on the locale of the machine: compare with < and format digits by hand.'

const portable = 'Use the portable function of @sched/core: the same seed must give the same bytes on every machine.'
const ofThePlatform = ['cbrt', 'cos', 'cosh', 'exp', 'expm1', 'log', 'log10', 'log1p', 'log2', 'pow', 'sin', 'sinh', 'tan', 'tanh']
  .map((property) => ({ object: 'Math', property, message: portable }))
const unseeded = [
  { object: 'Math', property: 'random', message: seeded },
  { object: 'crypto', property: 'getRandomValues', message: seeded },
  { object: 'crypto', property: 'randomUUID', message: seeded },
  { object: 'Date', property: 'now', message: simulated },
  { object: 'performance', property: 'now', message: simulated },
  { property: 'localeCompare', message: locale },
  { property: 'toLocaleString', message: locale },
]

const wallClock = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: simulated },
  { selector: "CallExpression[callee.name='Date']", message: simulated },
]
const defaultExport = {
  selector: ':matches(ExportDefaultDeclaration, ExportSpecifier[exported.name="default"])',
  message: 'Export by name; only a plugin, made by define*(), is a default export.',
}

// Plugins, as the built-ins in these packages are, have a default export.
const plugins = ['packages/{policies,placement,architectures,metrics}/src/**', '**/examples/**']

/** One process lints the whole repository: typed rules then share one TypeScript program. */
export default (root) =>
  defineConfig(
    globalIgnores(['**/dist/', '**/coverage/', '**/.vitest/', '**/.docs-check/', 'docs/api/']),
    { linterOptions: { reportUnusedDisableDirectives: 'error' } },
    {
      files: ['**/*.{js,mjs}'],
      extends: [js.configs.recommended],
      languageOptions: { globals: { console: 'readonly', process: 'readonly', URL: 'readonly', setTimeout: 'readonly', TextDecoder: 'readonly' } },
    },
    {
      files: ['**/*.ts'],
      extends: [js.configs.recommended, ts.configs.recommendedTypeChecked],
      languageOptions: { parserOptions: { project: 'tooling/tsconfig/all.json', tsconfigRootDir: root } },
      rules: {
        '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        '@typescript-eslint/no-import-type-side-effects': 'error',
        '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
        '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
        '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
        // An async function without await is how a synchronous implementation fulfils an asynchronous contract.
        '@typescript-eslint/require-await': 'off',
        eqeqeq: 'error',
        'no-restricted-syntax': ['error', defaultExport],
      },
    },
    {
      files: ['packages/*/src/**/*.ts'],
      rules: {
        'no-console': 'error', // printing is for the apps
        'no-restricted-properties': ['error', ...unseeded, ...ofThePlatform],
        'no-restricted-syntax': ['error', defaultExport, ...wallClock],
      },
    },
    { files: ['packages/report/src/**/*.ts'], rules: { 'no-restricted-properties': ['error', ...unseeded] } }, // a library draws with them anyway
    { files: plugins.map((dir) => `${dir}/*.ts`), rules: { 'no-restricted-syntax': ['error', ...wallClock] } },
    {
      files: ['**/test/**/*.ts'],
      rules: {
        // expect(object.method) and half-typed fixtures are common and harmless in tests
        '@typescript-eslint/unbound-method': 'off',
        '@typescript-eslint/no-unsafe-assignment': 'off',
      },
    },
  )
