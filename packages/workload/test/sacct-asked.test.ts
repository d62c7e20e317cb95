import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf } from './reading.js'

const head = 'JobID;User;Partition;Submit;Eligible;Start;End;TimelimitRaw;State;NNodes;ReqCPUS;NCPUS;ReqTRES;Reservation;SubmitLine'
interface Asked {
  readonly id?: string
  readonly submit?: number
  readonly eligible?: number
  readonly nodes?: number
  readonly cpus?: number
  readonly tres?: string
  readonly reservation?: string
}
const row = (command: string, { id = '1', submit = 1000, eligible = submit, nodes = 3, cpus = 12, tres = `cpu=${cpus},mem=1200M,node=1`, reservation = '' }: Asked = {}) =>
  `${id};ann;main;${submit};${eligible};${eligible + 10};${eligible + 110};2;COMPLETED;${nodes};${cpus};${cpus};${tres};${reservation};${command === '' ? '' : `sbatch ${command} job.sh`}`
const read = (options: object, ...rows: readonly string[]) => parseTrace(bytesOf([head, ...rows].join('\n')), { file: 's.txt', options })
const job = (options: object, command: string, asked?: Asked) => [...jobsOf(read(options, row(command, asked)))][0]!
/** The tasks of a job: how many, of how many processors, whether each is on a node of its own; then the most nodes, and the fewest. */
function tasksOf(command: string, asked?: Asked) {
  const { stages: [stage], minNodes, maxNodes } = job({ tasks: 'asked' }, command, asked)
  return [stage!.tasks, stage!.demand['procs'], stage!.constraints?.distinctNodes === true, ...(maxNodes === undefined ? [] : [maxNodes]), ...(minNodes === undefined ? [] : [{ minNodes }])]
}

describe('nodes that a job of Slurm asked for by name', () => {
  const named = (command: string, asked?: Asked) => job({ constraints: 'require' }, command, asked).stages[0]!.constraints
  const within = (...values: readonly string[]) => ({ key: 'metadata.name', operator: 'In', values })
  const off = (...values: readonly string[]) => ({ key: 'metadata.name', operator: 'NotIn', values })

  it.each([
    ['--nodelist=n[1-3]', [within('n1', 'n2', 'n3')]],
    ['-w n[01-02],m7', [within('n01', 'n02', 'm7')]],
    ['--exclude n3', [off('n3')]],
    ['-xn[3,5] -w n1,n2,n4', [within('n1', 'n2', 'n4'), off('n3', 'n5')]],
  ])('are all its nodes, or none of them: %s', (command, terms) => {
    expect(named(command)).toEqual({ nodeSelectorTerms: [{ matchFields: terms }] })
    expect(job({}, command).stages[0]!.constraints).toBe(undefined)
  })

  it.each(['--nodelist=./hosts', '--exclude=n[3', '-w n[9-1]', ''])('are any where it names none that are known: %s', (command) => {
    expect(named(command)).toBe(undefined)
  })

  it('are any, which is told, where it names some of them and leaves others to Slurm', () => {
    expect(named('--nodelist=n1 -x n9')).toEqual({ nodeSelectorTerms: [{ matchFields: [off('n9')] }] })
    const { report } = read({ constraints: 'require' }, row('--nodelist=n1'))
    expect(report.notes).toContain('1 job that asked for some of their nodes by name, and for others: on any nodes (someHosts)')
    expect(read({}, row('--nodelist=n[1-3]')).report.notes?.join()).toContain('1 job with features or names of nodes that they asked for: on any node')
  })

  it('are those of a part of a heterogeneous job', () => {
    const parts = (command: string) => [...jobsOf(read({ constraints: 'require', hetjobs: 'apart' }, row(command, { id: '7+0', nodes: 1 }), row(command, { id: '7+1', nodes: 1 })))].map(({ stages }) => stages[0]!.constraints?.nodeSelectorTerms)
    expect(parts('-w n1 : -w n2')).toEqual([[{ matchFields: [within('n1')] }], [{ matchFields: [within('n2')] }]])
  })
})

describe('tasks as a job of Slurm asked for them', () => {
  it.each([
    ['-n12', {}, [12, 1, false, { minNodes: 1 }]],
    ['--ntasks=4 -c 3', {}, [4, 3, false, { minNodes: 1 }]],
    ['-n 4', {}, [4, 3, false, { minNodes: 1 }]], // of 12 processors
    ['-N3', {}, [3, 4, true]],
    ['--nodes 3 --ntasks-per-node=4', {}, [3, 4, true]],
    ['-n12 --ntasks-per-node=4', {}, [3, 4, true]],
    ['-N1 -n12', { nodes: 1 }, [1, 12, false]],
    ['-N1-2 -n12', {}, [12, 1, false, 2, { minNodes: 1 }]],
    ['-N1-20 -n12', {}, [12, 1, false, { minNodes: 1 }]],
    ['-N2 -n12', {}, [12, 1, false, 2, { minNodes: 2 }]],
    ['-N2-4 -n6', {}, [6, 2, false, 4, { minNodes: 2 }]],
    ['-N2 -n10', { cpus: 10 }, [10, 1, false, 2, { minNodes: 2 }]],
  ] as const)('of %s', (command, asked, tasks) => {
    expect(tasksOf(command, asked)).toEqual(tasks)
  })

  it('are told by the nodes that it requested where the command does not say, and by where it ran where these do not, either', () => {
    expect(tasksOf('', { tres: 'cpu=12,node=3' })).toEqual([3, 4, true])
    expect(tasksOf('', {})).toEqual([12, 1, false, { minNodes: 1 }])
    expect(tasksOf('', { nodes: 1 })).toEqual([1, 12, false])
  })

  it('are one for each node that it had, where its parts need not be equal or are told by node', () => {
    for (const command of ['-N3 -n10', '-N2-4', '-N2 -n12 --mem=100', '-n12 --mem=100', '-n12 --gres=gpu:1', '-n12 --exclusive']) expect(tasksOf(command)).toEqual([3, 4, false])
    expect(tasksOf('-N2 -n10 --gres=gpu:1', { cpus: 10 })).toEqual([3, 4, false]) // as for `node`, rounded up
  })

  it('share memory out', () => {
    expect(job({ tasks: 'asked', memory: 'requested' }, '-n12 --mem-per-cpu=100').stages[0]).toMatchObject({ tasks: 12, demand: { procs: 1, mem: 100 } })
  })

  it('are of the partitions that it named, with which its queue is called', () => {
    const of = (tasks: string, command: string) => job({ tasks }, command).queue
    expect([of('asked', '-p long,main -n12'), of('asked', '--partition=main'), of('node', '-p long,main')]).toEqual(['long,main', 'main', 'main'])
  })
})

describe('the command of a job tells', () => {
  it('its nice value', () => {
    const nice = (command: string) => job({}, command).nice
    expect([nice('--nice=50'), nice('--nice=-5 -n1'), nice('--nice -n1'), nice('-n1'), nice('--wrap echo --nice=3')]).toEqual([50, -5, 100, undefined, undefined])
  })

  it('its reservations, which the database may have lost', () => {
    const reservation = (command: string, asked?: Asked) => job({}, command, asked).reservation
    expect([reservation('--reservation=course,lab'), reservation('-n1', { reservation: 'course' }), reservation('-n1')]).toEqual(['course,lab', 'course', undefined])
  })
})

describe('tasks of an array with a throttle', () => {
  it('are eligible with the first of them: the others wait for those before, here as there', () => {
    const tasks = [0, 1, 2].map((i) => row('--array=0-2%1 -n1', { id: `7_${i}`, eligible: 1000 + 200 * i }))
    const submits = (...rows: readonly string[]) => [...jobsOf(read({ submit: 'eligible' }, ...rows))].map(({ id, submit }) => [id, submit])
    expect(submits(...tasks)).toEqual([['7_0', 0], ['7_1', 0], ['7_2', 0]])
    expect(submits(...tasks.map((each) => each.replace('%1', '')))).toEqual([['7_0', 0], ['7_1', 200], ['7_2', 400]])
  })
})
