// Runs an app from the repository: `pnpm sched compare trace.swf` is `node run-app.mjs cli compare trace.swf`.
// The build is used when it is there and no source is newer; otherwise the app runs from its sources.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [app, ...args] = process.argv.slice(2)
const built = `${root}apps/${app}/dist/main.js`

const newestIn = (dir) =>
  Math.max(...readdirSync(dir, { recursive: true, withFileTypes: true }).map((f) => statSync(`${f.parentPath}/${f.name}`).mtimeMs))

const parts = [`apps/${app}`, ...readdirSync(`${root}packages`).map((name) => `packages/${name}`)]
  .map((part) => root + part)
  .filter((part) => existsSync(`${part}/src`))
const isFresh = (part) => existsSync(`${part}/dist`) && newestIn(`${part}/dist`) >= newestIn(`${part}/src`)

const how =
  existsSync(built) && parts.every(isFresh)
    ? [built]
    : ['--conditions=@sched/source', '--import', import.meta.resolve('tsx'), `${root}apps/${app}/src/main.ts`]

// Paths among the arguments are relative to where the user stands, not to the root of the repository.
const run = spawn(process.execPath, [...how, ...args], { cwd: process.env.INIT_CWD ?? process.cwd(), stdio: 'inherit' })
run.on('exit', (code) => process.exit(code ?? 1))

// Ctrl-C reaches the app by itself. Who ends this process means the app, which heeds SIGINT even in a loop that never ends.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => run.kill('SIGINT'))
process.on('SIGHUP', () => run.kill('SIGHUP'))
