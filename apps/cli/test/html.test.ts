import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, experiment, sched, small, trace } from './sched.js'

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')
const headings = (page: string) => [...page.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, title]) => title)
const titles = (page: string) => [...page.matchAll(/<title id="[^"]*">([^<]*)<\/title>/g)].map(([, title]) => title)
/** The page that a command line writes to standard output, alone. */
async function pageOf(args: readonly string[], cwd = small()): Promise<string> {
  const { code, out, err } = await sched([...args, '--html', '-'], { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out.startsWith('<!DOCTYPE html>\n') && out.endsWith('</html>\n')).toBe(true)
  return out
}

describe('--html', () => {
  it('writes what was compared as one page: tables, charts, schedules, and how to get it again', async () => {
    const page = await pageOf(['compare', 'small.yaml'])
    expect(headings(page)).toEqual(['Figures by policy', 'By class of jobs', 'Distributions', 'Over time, seed 1', 'Who ran where, seed 1', 'Each policy in full, seed 1', 'How to get this again'])
    expect(titles(page)).toEqual(expect.arrayContaining(['Mean response', 'Mean response, by class of jobs', 'Response: distribution over jobs', 'Use of map', 'Waiting jobs', 'Running tasks', 'Schedule: fifo', 'Schedule: delay(node=5)']))
    expect(page).toContain('<pre>sched compare small.yaml --html -</pre>')
    expect(page).toContain('trace: jobs.jsonl') // the experiment as it ran
  })

  it('has the numbers of the printed tables', async () => {
    const cwd = small()
    const { out } = await sched(['run', 'small.yaml', '--policy', 'fifo'], { cwd })
    const page = await pageOf(['run', 'small.yaml', '--policy', 'fifo'], cwd)
    const [, ...tables] = out.split('\n\n')
    for (const table of tables) expect(page).toContain(table.trim())
    const compared = (await sched(['compare', 'small.yaml'], { cwd })).out
    const [, fifo = '', delay = ''] = /^mean response, s +(\S+ ± \S+) +(\S+ ± \S+)$/m.exec(compared) ?? []
    expect(await pageOf(['compare', 'small.yaml'], cwd)).toContain(`<tr><th scope="row">mean response, s</th><td class="number">${fifo}</td><td class="number">${delay}<small>`)
  })

  it('draws a bar for every piece of work of the first seed', async () => {
    const cwd = small()
    await sched(['run', 'small.yaml', '--policy', 'fifo', '--out', 'r', '--schedule'], { cwd })
    const pieces = read(cwd, 'r/schedule-fifo.csv').trimEnd().split('\n').slice(1)
    const ranges = pieces.reduce((sum, line) => sum + (line.split(',').at(-2) ?? '').split(' ').length, 0)
    const page = await pageOf(['run', 'small.yaml', '--policy', 'fifo'], cwd)
    const bars = page.slice(page.indexOf('<g class="bars"'))
    expect(bars.split('<rect ').length - 1).toBe(ranges)
    expect(bars).toMatch(/<title>a: from /)
  })

  it('leaves out the schedule of a long run, says how to get it, and then draws its beginning', async () => {
    const many = trace.split('\n')[0] + '\n' + Array.from({ length: 1001 }, (_, i) => `{"id":"j${i}","submit":${i},"stages":[{"name":"map","tasks":1,"demand":{"map":1},"duration":2}]}\n`).join('')
    const cwd = small({ 'jobs.jsonl': many.replace('"jobs":3', '"jobs":1001') })
    const page = await pageOf(['run', 'small.yaml', '--policy', 'fifo'], cwd)
    expect(page).toContain('No Gantt chart of fifo: more than 1,000 bars')
    expect(titles(page)).not.toContain('Schedule')
    expect(titles(await pageOf(['run', 'small.yaml', '--policy', 'fifo', '--schedule'], cwd))).toContain('Schedule')
  })

  it('is the same bytes again, and on any number of threads', async () => {
    const cwd = small()
    const pages = await Promise.all(['1', '2'].map((threads) => pageOf(['compare', 'small.yaml', '--threads', threads], cwd)))
    expect(pages[0]).toBe(pages[1])
    expect(await pageOf(['compare', 'small.yaml'], cwd)).toBe(pages[0])
  })

  it('changes no other output', async () => {
    const cwd = small()
    const plain = await sched(['compare', 'small.yaml', '--json', '-'], { cwd })
    expect(await sched(['compare', 'small.yaml', '--json', '-', '--html', 'p.html'], { cwd })).toEqual(plain)
  })

  it('shows names of a trace as text, whatever they are', async () => {
    const evil = `<img src=x onerror=alert(1)>"'&]]>`
    const text = JSON.stringify(evil)
    const jobs = trace.replace('"id":"a"', `"id":${text}`).replaceAll('"user":"ann"', `"user":${text},"queue":${text}`).replaceAll('"label":"small"', `"label":${text}`)
    const cwd = small({ 'jobs.jsonl': jobs, 'small.yaml': experiment.replace('name: small', `name: ${text}`).replace('- fifo', `- { name: ${text}, policy: fifo }`) })
    for (const args of [['compare'], ['run', '--policy', text], ['explain', '--job', evil]]) {
      const page = await pageOf([args[0] ?? '', 'small.yaml', ...args.slice(1)], cwd)
      expect(page).not.toContain('<img')
      expect(page).toContain('&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;]]&#62;')
      expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org\/2000\/svg")/)
    }
  })

  it('shows warnings', async () => {
    const cwd = small({ 'jobs.jsonl': trace.replace('"jobs":3', '"jobs":4') + '{"id":"huge","submit":3,"stages":[{"name":"map","tasks":1,"demand":{"map":9},"duration":1}]}\n' })
    const { out, err } = await sched(['compare', 'small.yaml', '--infeasible', 'reject', '--html', '-'], { cwd })
    expect(err).toContain('1 of 4 jobs rejected')
    expect(out).toMatch(/<div class="warning">warning: fifo: 1 of 4 jobs rejected on seed 1:/)
  })

  it('refuses an existing file unless by force, a place that another option has, and leaves nothing when a run fails', async () => {
    const cwd = small()
    writeFileSync(join(cwd, 'p.html'), 'mine')
    const compare = (...args: string[]) => sched(['compare', 'small.yaml', '--quiet', ...args], { cwd })
    expect(await compare('--html', 'p.html')).toMatchObject({ code: 2, out: '', err: 'error: "p.html": exists already. Choose another name, or replace it with --force.\n' })
    expect(read(cwd, 'p.html')).toBe('mine')
    expect((await compare('--html', 'p.html', '--force')).code).toBe(0)
    expect(read(cwd, 'p.html')).toContain('<h1>')
    expect((await compare('--html', '-', '--json', '-')).err).toBe('error: --json and --html: both go to standard output. Give one of them a file name.\n')
    expect((await compare('--html', 'x', '--csv', './x')).err).toBe('error: --csv and --html: both go to "./x". Give them different names.\n')
    const huge = small({ 'jobs.jsonl': trace.replaceAll('"map":1', '"map":9') })
    expect((await sched(['compare', 'small.yaml', '--html', 'p.html'], { cwd: huge })).code).toBe(2)
    expect(readdirSync(huge).sort()).toEqual(['jobs.jsonl', 'small.yaml'])
  })

  it('draws figures over what a sweep varies, a line for each policy, and bars where it is no number', async () => {
    const base = `name: small\nseeds: 2\ncluster: { nodes: 4, resources: { cpu: 4 } }\nworkload: { generate: { poisson-jobs: { jobs: 8, demand: { cpu: 1 }, tasks: 3 } } }\npolicies: [fifo, { name: other, policy: { greedy: { order: fair } } }]\n`
    const cwd = directory({ 'rate.yaml': `${base}matrix: { workload.generate.poisson-jobs.rate: [0.1, 1, 10] }\n`, 'kind.yaml': `${base}matrix: { size: { small: { cluster.nodes: 4 }, large: { cluster.nodes: 9 } } }\n` })
    const page = await pageOf(['sweep', 'rate.yaml'], cwd)
    expect(headings(page)).toEqual(['Charts', 'All points', 'Difference from fifo at the same point, paired by seed', 'How to get this again'])
    expect(titles(page)).toEqual(['Mean response', 'Mean wait for the first task'])
    expect(page).toContain('>workload.generate.poisson-jobs.rate</text>')
    expect(page.match(/<tr><th scope="row">/g)).toHaveLength(9) // 3 points under 2 policies, and the differences of one of them
    expect(titles(await pageOf(['sweep', 'kind.yaml', '--figures', 'response,makespan'], cwd))).toEqual(['Mean response, by size', 'Makespan, by size'])
  })

  it('shows why a job waited', async () => {
    const page = await pageOf(['explain', 'small.yaml', '--job', 'c'])
    expect(headings(page)).toEqual(['Reasons', 'In full', 'How to get this again'])
    expect(page).toContain('<h1>Why job c waited</h1>')
    expect(page).toContain('sched explain experiment.yaml --job c')
  })
})

/** A browser for the page, if there is one: CHROMIUM_PATH, or `chromium` on the path. */
const browser = [process.env['CHROMIUM_PATH'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter).map((part) => join(part, 'chromium'))].find((path) => path !== '' && existsSync(path))

describe.skipIf(browser === undefined)('the page in a browser (skipped where no chromium is)', () => {
  it('is shown from a file without an error, with all its charts and without a request', async () => {
    const cwd = small()
    const page = await pageOf(['compare', 'small.yaml'], cwd)
    writeFileSync(join(cwd, 'page.html'), page)
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-logging=stderr', '--v=0', '--virtual-time-budget=2000', '--dump-dom', `file://${join(cwd, 'page.html')}`]
    const { stdout, stderr } = spawnSync(browser ?? '', args, { encoding: 'utf8', timeout: 60_000, maxBuffer: 1 << 26 })
    expect(stderr).not.toMatch(/CONSOLE/)
    expect(stdout.match(/<svg /g)).toHaveLength(page.match(/<svg /g)?.length ?? 0)
  })
})
