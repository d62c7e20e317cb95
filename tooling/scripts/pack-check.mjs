// Packs every public package as it would be published and checks the tarball: publint for the manifest,
// attw for whether TypeScript and Node resolve the same thing, and whether CommonJS can require it, and that its README
// links to nothing outside; then bundles for a browser, of which one that uses a part has to be small, and the name of
// the errors. Needs a build.
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const bin = (name) => join(root, 'node_modules/.bin', name)
const manifest = (dir) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))

const dirs = ['packages', 'apps']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(root, parent, name)))
  .filter((dir) => manifest(dir).private !== true)

/** Lines of complaint; none when the tarball is fine. */
async function check(dir, into) {
  const { name, exports } = manifest(dir)
  const complaints = []
  const attempt = async (file, args) => {
    try {
      return await run(file, args, { cwd: dir, env: { ...process.env, FORCE_COLOR: '0' } })
    } catch (error) {
      complaints.push(`${name}: ${file.split('/').at(-1)} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`)
      return undefined
    }
  }

  const packed = await attempt('pnpm', ['pack', '--json', '--pack-destination', into])
  if (packed === undefined) return complaints
  const { filename, files } = [JSON.parse(packed.stdout)].flat()[0]
  const missing = Object.values(exports ?? {}).map((entry) => entry.default.slice(2)).filter((path) => !files.some((f) => f.path === path))
  if (missing.length > 0) complaints.push(`${name}: not in the tarball: ${missing.join(', ')}. Run pnpm build first.`)
  if (!files.some(({ path }) => path === 'README.md')) complaints.push(`${name}: no README.md, which is what its page on the registry shows.`)
  else complaints.push(...linksOut(dir, files).map((link) => `${name}: README.md links to ${link}, which is not in the tarball. Name the page in words: \`docs/page.md\` of the repository.`))

  const tarball = join(into, filename.split('/').at(-1))
  await attempt(bin('publint'), ['run', tarball, '--strict'])
  if (exports !== undefined) await attempt(bin('attw'), ['--profile', 'esm-only', '--no-emoji', tarball])
  for (const path of Object.keys(exports ?? {})) await attempt(process.execPath, ['-e', `require('${name}${path.slice(1)}')`])
  return complaints
}

/** Relative links of a README to what is not in its tarball: its page on the registry has nothing else. */
function linksOut(dir, files) {
  const links = [...readFileSync(join(dir, 'README.md'), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, link]) => link)
  return links.filter((link) => !files.some(({ path }) => path === posix.normalize(link)))
}

/** What a program imports, and how large it may then be, minified, in kB. */
const bundles = [
  ["import { maxMinShares } from '@sched/policies'", 'maxMinShares', 12],
  ["import { fifo, greedy } from '@sched/policies'", 'greedy(fifo())', 95],
  ["import { firstFit } from '@sched/placement'", 'firstFit()', 85],
  ["import { monolithic } from '@sched/architectures'", 'monolithic()', 120],
  ["import { dispatcher } from '@sched/cluster'", 'dispatcher', 230],
  ...['core', 'cluster', 'workload', 'sim', 'policies', 'placement', 'architectures', 'metrics', 'queue-files', 'report', 'report/charts'].map((name) => [`import * as all from '@sched/${name}'`, 'all', Infinity]),
]

/** Lines of complaint about bundles; tsup brings esbuild. */
async function checkBundles() {
  const { build } = createRequire(createRequire(import.meta.url).resolve('tsup'))('esbuild')
  const complaints = []
  for (const [line, used, most] of bundles)
    try {
      const stdin = { contents: `${line}\nconsole.log(${used})`, resolveDir: join(root, 'apps/cli') }
      const { outputFiles } = await build({ stdin, bundle: true, minify: true, write: false, format: 'esm', platform: 'browser', logLevel: 'silent' })
      const size = outputFiles[0].contents.length / 1000
      if (size > most) complaints.push(`${line}: a bundle of ${Math.round(size)} kB, where ${most} are enough. Does a module call something when it is loaded?`)
    } catch (error) {
      complaints.push(`${line}: ${error.message}`)
    }
  return complaints
}

/** Node prints the name of the class of an error that nobody catches, which a bundler changes where the class names itself. */
async function checkErrorName() {
  const { SchedError } = await import(pathToFileURL(join(root, 'packages/core/dist/index.js')).href)
  return SchedError.name === 'SchedError' ? [] : [`@sched/core: its errors are called ${SchedError.name} where nobody catches them`]
}

const into = mkdtempSync(join(tmpdir(), 'sched-pack-'))
try {
  const queue = [...dirs]
  const complaints = []
  const worker = async () => {
    for (let dir = queue.shift(); dir !== undefined; dir = queue.shift()) complaints.push(...(await check(dir, into)))
  }
  await Promise.all([worker(), worker()])
  complaints.push(...(await checkBundles()), ...(await checkErrorName()))
  for (const complaint of complaints) console.error(complaint)
  console.log(`${dirs.length} packages packed and checked, ${complaints.length} complaints`)
  process.exitCode = complaints.length > 0 ? 1 : 0
} finally {
  rmSync(into, { recursive: true, force: true })
}
