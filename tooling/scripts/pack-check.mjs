// Packs every public package as it would be published and checks the tarball: publint for the manifest,
// attw for whether TypeScript and Node resolve the same thing, and whether CommonJS can require it. Needs a build.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

  const tarball = join(into, filename.split('/').at(-1))
  await attempt(bin('publint'), ['run', tarball, '--strict'])
  if (exports !== undefined) await attempt(bin('attw'), ['--profile', 'esm-only', '--no-emoji', tarball])
  for (const path of Object.keys(exports ?? {})) await attempt(process.execPath, ['-e', `require('${name}${path.slice(1)}')`])
  return complaints
}

const into = mkdtempSync(join(tmpdir(), 'sched-pack-'))
try {
  const queue = [...dirs]
  const complaints = []
  const worker = async () => {
    for (let dir = queue.shift(); dir !== undefined; dir = queue.shift()) complaints.push(...(await check(dir, into)))
  }
  await Promise.all([worker(), worker()])
  for (const complaint of complaints) console.error(complaint)
  console.log(`${dirs.length} packages packed and checked, ${complaints.length} complaints`)
  process.exitCode = complaints.length > 0 ? 1 : 0
} finally {
  rmSync(into, { recursive: true, force: true })
}
