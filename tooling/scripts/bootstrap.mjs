// Installs what the repository needs and then runs one of its scripts: `node bootstrap.mjs check`,
// or `node bootstrap.mjs check all` with the long tests, too.
// Plain npm and Node suffice to start it; pnpm comes through npx in the version that package.json names.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Node >= 20.19 needed, this is ${process.version}`)
  process.exit(1)
}

const [script, tests] = process.argv.slice(2)
if (!/^[\w:-]+$/.test(script ?? '')) {
  console.error('Usage: node tooling/scripts/bootstrap.mjs <script of package.json> [all]')
  process.exit(1)
}

const { packageManager } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
const env = {
  ...process.env,
  ...(tests === undefined ? {} : { SCHED_TESTS: tests }),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  TASK_NODE: `v${major}`, // turbo does not hash the version of Node by itself
  npm_config_loglevel: 'error',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
}
const traces = fileURLToPath(new URL('../../../shared/traces', import.meta.url))
if (env.SCHED_TRACES === undefined && existsSync(traces)) env.SCHED_TRACES = traces

const install = 'pnpm install --frozen-lockfile --prefer-offline --loglevel=warn'
const run = spawnSync('npx', ['--yes', '-p', packageManager, '-c', `${install} && pnpm run ${script}`], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exit(run.status ?? 1)
