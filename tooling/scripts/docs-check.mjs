// Runs the examples of README.md, docs/**/*.md and the README.md of packages and apps, and compares what they print with what the page shows;
// those in TypeScript must have no error of types, either. What runs is what `pnpm build` built.
//
//   <!-- run -->                 before a ```sh or ```ts block: run it (`sh` from the root, with `sched` on the path)
//   <!-- run needs-traces -->    the same, skipped when the directory SCHED_TRACES is absent
//   <!-- output -->              before the next block: this must be the standard output of the block that ran last
//
// `--update` rewrites the output blocks. Other arguments limit the run to these files.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const args = process.argv.slice(2)
const update = args.includes('--update')
const traces = resolve(process.env.SCHED_TRACES ?? join(root, '../shared/traces'))
const timeout = 120_000

/** The blocks of a page that a comment marks, with the lines of their content: [from, to). */
function examples(lines) {
  const found = []
  let fence
  let mark
  lines.forEach((line, i) => {
    if (fence !== undefined) {
      if (!line.startsWith(fence.ticks) || line.trim() !== fence.ticks) return
      if (fence.mark?.kind === 'run') found.push({ ...fence, to: i, output: undefined })
      else if (fence.mark?.kind === 'output' && found.length > 0) found.at(-1).output ??= { from: fence.from, to: i }
      fence = undefined
      return
    }
    const opening = /^(`{3,})\s*(\w*)/.exec(line)
    const comment = /^<!--\s*(run|output)\b\s*(.*?)\s*-->$/.exec(line.trim())
    if (opening !== null) {
      fence = { ticks: opening[1], language: opening[2], mark, from: i + 1 }
      mark = undefined
    } else if (comment !== null) mark = { kind: comment[1], needsTraces: comment[2].includes('needs-traces') }
    else if (line.trim() !== '') mark = undefined
  })
  return found
}

// `sched`, `bench` and `pnpm sched` in an example mean the built app; anything else of pnpm is pnpm itself.
const bin = mkdtempSync(join(tmpdir(), 'sched-docs-'))
const script = (name, body) => writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
const app = (name) => `exec '${process.execPath}' '${root}apps/${name}/dist/main.js' "$@"`
script('sched', app('cli'))
script('bench', app('bench'))
for (const name of ['pnpm', 'npx'])
  script(name, `[ "$1" = -s ] && shift\ncase "$1" in sched|bench) exec "$@";; esac\nPATH="\${PATH#*${delimiter}}" exec ${name} "$@"`)

// A TypeScript example stands inside the CLI, which can import every package.
const scratch = join(root, 'apps/cli/.docs-check')
mkdirSync(join(scratch, 'node_modules/@sched'), { recursive: true })
for (const name of readdirSync(join(root, 'packages'))) symlinkSync(join(root, 'packages', name), join(scratch, 'node_modules/@sched', name), 'junction')

const fileOf = (place) => join(scratch, `${place.replace(/[/:]/g, '-')}.ts`)

/** Runs a program; gives its output and, if it did not end well, why. */
async function execute({ language }, code, place) {
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH, SCHED_TRACES: traces, NO_COLOR: '1', COLUMNS: '100' }
  delete env.FORCE_COLOR
  const options = { cwd: root, env, encoding: 'utf8', timeout, maxBuffer: 1 << 26 }
  const [program, args] = language === 'ts' ? [process.execPath, ['--import', import.meta.resolve('tsx'), fileOf(place)]] : ['bash', ['-euo', 'pipefail', '-c', code]]
  try {
    return await promisify(execFile)(program, args, options)
  } catch (error) {
    return { stdout: error.stdout ?? '', stderr: error.stderr ?? '', why: error.killed ? 'out of time' : (error.signal ?? `exit ${error.code}`) }
  }
}

/** Type-checks the examples in TypeScript, whose files are called by their places; gives the complaints of the compiler. */
function typeErrors() {
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ extends: '../../../tooling/tsconfig/node.json', include: ['*-*.ts'] }))
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', scratch], { cwd: scratch, encoding: 'utf8' })
  return status === 0 ? '' : stdout
}

const tidy = (text) => text.split('\n').map((line) => line.trimEnd()).join('\n').replace(/^\n+/, '').trimEnd()
const indent = (text) => text.replace(/^/gm, '    ')

/** Runs one example; gives the complaint, or nothing. */
async function check(example, lines, place) {
  if (!['sh', 'bash', 'ts'].includes(example.language)) return `cannot run a block of \`${example.language}\``
  const ran = await execute(example, lines.slice(example.from, example.to).join('\n'), place)
  if (ran.why !== undefined) return `failed (${ran.why})\n${indent(tidy(`${ran.stdout}\n${ran.stderr}`))}`
  if (example.output === undefined) return undefined
  const { from, to } = example.output
  const expected = tidy(lines.slice(from, to).join('\n'))
  const printed = tidy(ran.stdout)
  if (printed === expected) return undefined
  if (update) {
    example.printed = printed
    console.log(`updated ${place}`)
    return undefined
  }
  return `printed something else (pnpm docs-check --update rewrites it)\n  page:\n${indent(expected)}\n  printed:\n${indent(printed)}`
}

const inDocs = existsSync(join(root, 'docs'))
  ? readdirSync(join(root, 'docs'), { recursive: true }).map((path) => join('docs', path)).filter((path) => path.endsWith('.md') && !path.startsWith('docs/api/'))
  : []
const wanted = args.filter((arg) => !arg.startsWith('--'))
const ofPackages = ['packages', 'apps'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name, 'README.md')))
const pages = wanted.length > 0 ? wanted : ['README.md', ...inDocs.sort(), ...ofPackages].filter((path) => existsSync(join(root, path)))

const count = { passed: 0, failed: 0, skipped: 0 }

async function checkPage(page) {
  const path = resolve(root, page)
  const lines = readFileSync(path, 'utf8').split('\n')
  const found = examples(lines)
  for (const example of found) {
    const place = `${page}:${example.from + 1}`
    if (example.language === 'ts') writeFileSync(fileOf(place), `${lines.slice(example.from, example.to).join('\n')}\nexport {}\n`)
    if (example.mark.needsTraces && !existsSync(traces)) {
      console.log(`skipped ${place}: no traces (set SCHED_TRACES)`)
      count.skipped++
      continue
    }
    const complaint = await check(example, lines, place)
    if (complaint === undefined) count.passed++
    else {
      console.error(`failed ${place}: ${complaint}`)
      count.failed++
    }
  }
  const changed = found.filter(({ printed }) => printed !== undefined).reverse() // from the end: line numbers stay valid
  for (const { output, printed } of changed) lines.splice(output.from, output.to - output.from, ...printed.split('\n'))
  if (changed.length > 0) writeFileSync(path, lines.join('\n'))
}

/** Examples of a page may go on from one another, those of two pages do not. */
async function checkPages() {
  for (let page = pages.shift(); page !== undefined; page = pages.shift()) await checkPage(page)
}

try {
  await Promise.all(Array.from({ length: availableParallelism() }, checkPages))
  const errors = readdirSync(scratch).some((name) => name.endsWith('.ts')) ? typeErrors() : ''
  if (errors !== '') {
    console.error(`failed types of examples:\n${indent(tidy(errors))}`)
    count.failed++
  }
} finally {
  rmSync(bin, { recursive: true, force: true })
  rmSync(scratch, { recursive: true, force: true })
}

mkdirSync(join(root, '.vitest'), { recursive: true })
writeFileSync(join(root, '.vitest/docs.json'), JSON.stringify(count)) // summed by sum-tests.mjs
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
process.exit(count.failed > 0 ? 1 : 0)
