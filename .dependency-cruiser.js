// Which package may import which. An edge that is not declared here fails.
const allowed = {
  core: [],
  bundled: [],
  cluster: ['core', 'bundled'],
  workload: ['core', 'bundled'],
  sim: ['core', 'cluster'],
  policies: ['core', 'bundled'],
  placement: ['core', 'bundled'],
  architectures: ['core', 'bundled'],
  metrics: ['core', 'bundled'],
  report: ['core', 'metrics'],
  'queue-files': ['core', 'cluster', 'policies'],
  testkit: ['core', 'cluster', 'workload', 'sim'],
}
// What the tests of a package may import besides.
const allowedInTests = {
  policies: ['cluster', 'workload', 'sim', 'testkit'],
  placement: ['cluster', 'workload', 'sim', 'testkit', 'policies'],
  architectures: ['cluster', 'workload', 'sim', 'testkit', 'policies'],
  metrics: ['cluster', 'workload', 'sim', 'testkit'],
}

const only = (name, from, packages) => ({
  name,
  comment: `${from} may import only: ${packages.slice(1).join(', ') || 'nothing'}`,
  severity: 'error',
  from: { path: from },
  to: { path: '^(packages|apps)/', pathNot: `^packages/(${packages.join('|')})/` },
})

const edges = Object.entries(allowed).flatMap(([name, to]) => [
  only(`${name}-imports`, `^packages/${name}/src/`, [name, ...to]),
  only(`${name}-test-imports`, `^packages/${name}/test/`, [name, ...to, ...(allowedInTests[name] ?? [])]),
])

export default {
  forbidden: [
    ...edges,
    {
      name: 'unlisted-package',
      comment: 'A new package states its edges in this file.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `^packages/(${Object.keys(allowed).join('|')})/` },
      to: { path: '^(packages|apps)/' },
    },
    { name: 'circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'undeclared',
      comment: 'Not in package.json, or not there at all.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    { name: 'unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'dev-dependency-in-src',
      comment: 'Whoever installs the package does not get its devDependencies.',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'core-depends-on-nothing',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional'] },
    },
    {
      name: 'pure-packages-run-in-a-browser',
      comment: 'Node modules are for packages/workload/src/node and the apps.',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/workload/src/node/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'workload-main-entry-is-pure',
      severity: 'error',
      from: { path: '^packages/workload/src/', pathNot: '^packages/workload/src/node/' },
      to: { path: '^packages/workload/src/node/' },
    },
    {
      name: 'src-imports-no-tests',
      severity: 'error',
      from: { path: '^(packages|apps)/[^/]+/src/' },
      to: { path: '^(packages|apps)/[^/]+/test/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(packages|apps)/[^/]+/(dist|coverage|[.]vitest)/' }, // a plain /dist/ would hide npm packages too
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@sched/source', 'types', 'import', 'node', 'default'],
    },
  },
}
