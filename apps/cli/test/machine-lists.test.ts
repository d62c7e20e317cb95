import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const pods = 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\na,1000,10,1,600,,LS,Running,0,10,0\nb,1000,10,1,600,T4,LS,Running,1,11,1\n'
const nodes = 'sn,cpu_milli,memory_mib,gpu,model\nn0,4000,100,1,P100\nn1,4000,100,1,T4\n'

describe('a list of machines', () => {
  const world = () => {
    const cwd = directory()
    writeFileSync(join(cwd, 'pods.csv'), pods)
    writeFileSync(join(cwd, 'nodes.csv'), nodes)
    writeFileSync(join(cwd, 'e.yaml'), 'workload: { trace: pods.csv }\ncluster: nodes.csv\npolicy: fifo\n')
    return cwd
  }

  it.each([
    ['--nodes', ['run', '--trace', 'pods.csv', '--nodes', 'nodes.csv', '--policy', 'fifo']],
    ['--cluster', ['run', '--trace', 'pods.csv', '--cluster', 'nodes.csv', '--policy', 'fifo']],
    ['--cluster in braces', ['run', '--trace', 'pods.csv', '--cluster', '{nodes: nodes.csv}', '--policy', 'fifo']],
    ['the cluster of an experiment file', ['run', 'e.yaml']],
  ])('is a cluster as %s', async (_, args) => {
    const { code, out } = await sched([...args, '--validate'], { cwd: world() })
    expect([code, /2 jobs on 2 nodes/.test(out), /2 of 2 jobs finished/.test(out)]).toEqual([0, true, true])
  })

  it('is any table, of whose columns a file beside it says what they mean', async () => {
    const cwd = world()
    mkdirSync(join(cwd, 'cluster'))
    writeFileSync(join(cwd, 'cluster/hosts.csv'), 'host;cores;ram_gib;gpus;model\nh0;4;1;1;P100\nh1;4;1;1;T4\n')
    const file = join(cwd, 'cluster/nodes.yaml')
    writeFileSync(file, 'table: hosts.csv\nname: host\nresources: { cpu: { column: cores, scale: 1000 }, mem: { column: ram_gib, scale: 1024 } }\ndevices: { gpu: gpus }\nlabels: { model: model }\n')
    const run = () => sched(['run', '--trace', 'pods.csv', '--nodes', 'cluster/nodes.yaml', '--policy', 'fifo', '--validate', '--quiet', '--out', 'r', '--schedule', '--force'], { cwd })
    expect((await run()).code).toBe(0)
    const places = () => readFileSync(join(cwd, 'r/schedule-fifo.csv'), 'utf8').trim().split('\n').map((line) => line.split(','))
    const node = places()[0]!.indexOf('nodes')
    expect(Object.fromEntries(places().slice(1).map((row) => [row[1], row[node]]))).toMatchObject({ b: '1' }) // b requires a T4
    writeFileSync(file, 'table: hosts.csv\nname: host\nresource: { cpu: cores }\n')
    expect((await run()).err).toMatch(/nodes\.yaml" line 3.*resource.*Did you mean "resources"\?/)
    writeFileSync(file, 'table: hosts.csv\nname: host\nresources: { cpu: core }\n')
    expect((await run()).err).toContain('hosts.csv" line 1: the table has no column "core", which resources.cpu names. Did you mean "cores"?')
  })

  it('stands alone, and a mistake in it is told with its line', async () => {
    const cwd = world()
    const beside = await sched(['run', '--trace', 'pods.csv', '--nodes', 'nodes.csv', '--racks', '2'], { cwd })
    expect([beside.code, beside.err]).toEqual([2, expect.stringContaining('--racks: stands beside --nodes FILE.')])
    writeFileSync(join(cwd, 'nodes.csv'), `${nodes}n2,4000,100,x,T4\n`)
    const bad = await sched(['run', '--trace', 'pods.csv', '--nodes', 'nodes.csv'], { cwd })
    expect(bad.err).toContain('nodes.csv" line 4 gpu: found "x", expected a number of at least 0. Correct the line.')
  })

  it('has the heartbeats that stand beside it, on the command line or in an experiment', async () => {
    const cwd = world()
    const first = async (...args: string[]) => {
      const { out, err } = await sched(args, { cwd })
      return (out === '' ? err : out).split('\n')[0]
    }
    const of = (seconds: number) => `pods.csv: 2 jobs on 2 nodes, each 4,000 cpu + 100 mem + 1,000 gpu, heartbeat ${seconds} s`
    expect(await first('run', '--trace', 'pods.csv', '--nodes', 'nodes.csv', '--heartbeat', '1', '--policy', 'fifo', '--out', 'made')).toBe(of(1))
    expect(await first('run', 'made/experiment.yaml')).toBe(of(1)) // which names the list beside the directory
    expect(await first('run', 'e.yaml', '--heartbeat', '2')).toBe(of(2))
    const own = (cluster: string) => writeFileSync(join(cwd, 'own.yaml'), `workload: { trace: pods.csv }\ncluster: ${cluster}\npolicy: fifo\n`)
    own('{ nodes: nodes.csv, heartbeat: { interval: 3 } }')
    expect(await first('run', 'own.yaml')).toBe(of(3))
    own('{ nodes: nodes.csv, racks: 2 }')
    expect(await first('run', 'own.yaml')).toContain('"own.yaml" line 2 column 30 cluster.racks: stands beside a list of node groups.')
    expect(await first('run', 'e.yaml', '--heartbeat', '0')).toContain('--heartbeat: takes no heartbeats away that a file describes.')
  })

  it('is what scontrol shows of nodes', async () => {
    const cwd = directory({
      'nodes.txt': 'NodeName=n1 Arch=x86_64 CoresPerSocket=2 \n   CPUAlloc=0 CPUEfctv=4 CPUTot=4 CPULoad=0.1\n   State=IDLE ThreadsPerCore=1\n\nNodeName=n2 Arch=x86_64\n   CPUAlloc=0 CPUTot=4\n   State=IDLE+DRAIN\n',
      'log.txt': 'JobID|Submit|Start|End|Timelimit|State|NNodes|ReqCPUS\n1|1000|1000|1100|00:02:00|COMPLETED|1|4\n2|1001|1100|1200|00:02:00|COMPLETED|1|2\n',
    })
    const { code, out } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'nodes.txt', '--policy', 'easy'], { cwd })
    expect([code, out.split('\n')[0]]).toEqual([0, 'log.txt: 2 jobs on one node of 4 procs + 1 nodes'])
  })

  it.each([
    ['PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nmain*        up   infinite      2   idle n[1-2]\n', 'is what sinfo prints, which is not read. Print the nodes with: scontrol show node'],
    ['Total Nodes:2\n         Node-Id\t     Node-State\tNode-Http-Address\n', 'is what yarn node -list prints, which is not read. Print the nodes with: curl RESOURCEMANAGER:8088/ws/v1/cluster/nodes'],
    ['NAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   10d   v1.29.1\n', 'is what kubectl get nodes prints, which is not read. Print the nodes with: kubectl get nodes -o yaml'],
  ])('is no table for people (%#)', async (text, message) => {
    const cwd = directory({ 'nodes.txt': text })
    expect((await sched(['run', '--generate', 'lublin', '--nodes', 'nodes.txt'], { cwd })).err).toContain(message)
  })

  it.each([
    ['host,cores\nn1,4\n', 'nodes.txt": is no list of machines known here. Describe the nodes in YAML, as `nodes: [{ count: 100, resources: { cpu: 16 } }]`, or say there what the columns of the table mean, as `{ table: nodes.csv, name: host, resources: { cpu: cores } }`. Known: nodes of Alibaba'],
    [pods, 'nodes.txt": is a trace (pods of Alibaba'],
    ['<allocations/>\n', 'nodes.txt": is a queue file, not a cluster. It is for `--queues FILE`.'],
  ])('of another kind, and what is none, is told as what it is (%#)', async (text, message) => {
    const { code, err } = await sched(['run', '--generate', 'lublin', '--nodes', 'nodes.txt'], { cwd: directory({ 'nodes.txt': text }) })
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  it('is in the file of a workflow, too, which runs on the machines on which it ran', async () => {
    const task = (id: string, parents: readonly string[], runtimeInSeconds: number) => ({ name: 'p', id, parents, children: [], runtimeInSeconds })
    const tasks = [task('c', ['b', 'a'], 5), task('a', [], 10), task('b', [], 20)]
    const machines = ['n1', 'n2'].map((nodeName) => ({ nodeName, cpu: { coreCount: 1 } }))
    const cwd = directory({ 'w.json': JSON.stringify({ name: 'w', schemaVersion: '1.5', workflow: { specification: { tasks }, execution: { executedAt: '2024-01-01', tasks: tasks.map(({ id, runtimeInSeconds }) => ({ id, runtimeInSeconds })), machines } } }) })
    const { code, out, err } = await sched(['run', '--trace', 'w.json', '--nodes', 'w.json', '--validate'], { cwd })
    expect([code, out.split('\n')[0], /1 of 1 job finished; 3 tasks, 3 starts; makespan 25.0 s/.test(out)]).toEqual([0, 'w.json: 1 job on 2 nodes, each 1,000 cpu', true])
    expect(err).toContain('note: recorded on 2 machines of 2 cores in all, which --nodes FILE takes from the same file')
    const described = await sched(['trace', 'describe', 'w.json'], { cwd })
    expect(described.out).toMatch(/format +wfformat\n +jobs +1\n +stages +3\n.*\n +critical path +25 s in the median job, at most 25 s; at most 2 stages in a row\n/)
  })
})
