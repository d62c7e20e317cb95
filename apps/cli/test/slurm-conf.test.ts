import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const conf = `ClusterName=c
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-2] CPUs=4
PartitionName=low Nodes=ALL
PartitionName=high PriorityTier=5
`
/** The first job takes both nodes for 100 s; the second comes at 10 and wants one of them for 20 s. */
const log = `JobID|Partition|Submit|Start|End|Timelimit|State|NNodes|ReqCPUS
1|low|1000|1000|1100|00:02:00|COMPLETED|2|8
2|high|1010|1010|1030|00:01:00|COMPLETED|1|4
`
const files = { 'slurm.conf': conf, 'log.txt': log, 'off.conf': conf.replace('REQUEUE', 'OFF') }

/** Columns of the jobs of a run, in the order in which these ended. */
function columnsIn(cwd: string, ...names: string[]): string[] {
  const [header = [], ...rows] = readFileSync(join(cwd, 'out', readdirSync(join(cwd, 'out')).find((file) => /^jobs.*csv$/.test(file)) ?? ''), 'utf8').trim().split('\n').map((row) => row.split(','))
  return rows.map((row) => names.map((name) => row[header.indexOf(name)]).join())
}
const startsIn = (cwd: string) => columnsIn(cwd, 'id', 'start').sort()

describe('slurm.conf', () => {
  it.each([
    ['takes the place of the other, which runs anew 121 s later', 'slurm.conf', ['2,10,30', '1,0,231']],
    ['waits where nobody is preempted', 'off.conf', ['1,0,100', '2,100,120']],
  ])('is a cluster and its policy: the job of the higher tier %s', async (_, queues, expected) => {
    const cwd = directory(files)
    const { code } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', queues, '--out', 'out', '--quiet'], { cwd })
    expect([code, columnsIn(cwd, 'id', 'start', 'end')]).toEqual([0, expected])
  })

  it.each([
    ['backfills a short job', '', ['1,0', '2,100', '3,30', '4,30']],
    ['starts jobs in order alone with bf_interval=-1, partition by partition', 'SchedulerParameters=bf_interval=-1', ['1,0', '2,100', '3,120', '4,30']],
    ['does the same with sched/builtin', 'SchedulerType=sched/builtin', ['1,0', '2,100', '3,120', '4,30']],
  ])('%s', async (_, line, expected) => {
    // a[1-2] and b1 of one processor: 1 takes a1 until 100, 2 wants both of a and keeps 3, which ends before, from starting, but not 4 of the other partition
    // (the log begins at a full minute, as the reservation of 2 is for the one of the clock)
    const queue = ['1|a|1200|1200|1300|00:02:00|COMPLETED|1|1', '2|a|1210|1210|1230|00:01:00|COMPLETED|2|2', '3|a|1220|1220|1230|00:01:00|COMPLETED|1|1', '4|b|1230|1230|1240|00:01:00|COMPLETED|1|1']
    const cwd = directory({
      'slurm.conf': `ClusterName=c\n${line}\nNodeName=a[1-2] CPUs=1\nNodeName=b1 CPUs=1\nPartitionName=a Nodes=a[1-2]\nPartitionName=b Nodes=b1\n`,
      'log.txt': `${log.split('\n')[0]}\n${queue.join('\n')}\n`,
    })
    const { code } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--out', 'out', '--quiet'], { cwd })
    expect([code, startsIn(cwd)]).toEqual([0, expected])
  })

  it.each([
    ['share nodes', '', '', ['1,0', '2,10', '3,20'], undefined],
    ['get whole nodes with select/linear, also such as differ', 'SelectType=select/linear', '', ['1,0', '2,10', '3,100'], 'SelectType = select/linear: a job has its nodes for itself'],
    ['get whole nodes in a partition with OverSubscribe=EXCLUSIVE, whose nodes are empty then', '', 'OverSubscribe=EXCLUSIVE', ['1,0', '2,10', '3,60'], 'a OverSubscribe = EXCLUSIVE: jobs get whole nodes'],
  ])('%s', async (_, line, setting, expected, told) => {
    // n1 and n2 have 4 processors, n3 has 2. 1 runs until 100, 2 until 60, on 2 processors each; 3 asks for 6: half of n1 and n2 with n3, the whole of one with n3, or as many nodes as if all were as small as n3
    const rows = ['1|a|1000|1000|1100|00:02:00|COMPLETED|1|2', '2|a|1010|1010|1060|00:02:00|COMPLETED|1|2', '3|b|1020|1020|1030|00:02:00|COMPLETED|1|6']
    const cwd = directory({
      'slurm.conf': `ClusterName=c\n${line}\nNodeName=n[1-2] CPUs=4\nNodeName=n3 CPUs=2\nPartitionName=a Nodes=n[1-2] ${setting}\nPartitionName=b Nodes=ALL\n`, 'log.txt': `${log.split('\n')[0]}\n${rows.join('\n')}\n`,
    })
    const { code, err } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--out', 'out'], { cwd })
    expect([code, startsIn(cwd)]).toEqual([0, expected])
    expect(/(SelectType|a OverSubscribe) = [^:;]*: [^:;]*/.exec(err)?.[0]).toBe(told)
  })

  it.each([
    ['waits where one of processors alone has taken the GPUs that stand first', '', ['1,0', '2,100']],
    ['finds them free where their node has a Weight', 'Weight=9', ['1,0', '2,10']],
  ])('a job with GPUs %s', async (_, setting, expected) => {
    const rows = ['1|a|1000|1000|1100|00:02:00|COMPLETED|1|4|cpu=4', '2|a|1010|1010|1020|00:02:00|COMPLETED|1|1|cpu=1,gres/gpu=1']
    const cwd = directory({
      'slurm.conf': `ClusterName=c\nNodeName=g1 CPUs=4 Gres=gpu:1 ${setting}\nNodeName=n1 CPUs=4\nPartitionName=a Nodes=ALL\n`, 'log.txt': `${log.split('\n')[0]}|ReqTRES\n${rows.join('\n')}\n`,
    })
    const { code } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=node', '--option', 'gpuDemand=true', '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--out', 'out', '--quiet'], { cwd })
    expect([code, startsIn(cwd)]).toEqual([0, expected])
  })

  it.each([
    ['ignore', 'submit', ['1,0', '2,20', '3,30']], ['keep', 'submit', ['1,0', '2,100', '3,30']], ['ignore', 'eligible', ['1,0', '2,200', '3,300']], ['keep', 'eligible', ['1,0', '2,100', '3,300']],
  ])('has jobs wait for others and for their time: dependencies %s, submit %s', async (dependencies, submit, expected) => {
    const rows = ['1|a|1000|1000|1100|00:02:00|COMPLETED|1|1|1000|sbatch a.sh', '2|a|1020|1205|1215|00:02:00|COMPLETED|1|1|1200|sbatch -d afterok:1 a.sh', '3|a|1030|1300|1310|00:02:00|COMPLETED|1|1|1300|sbatch --begin=now+300 a.sh']
    const cwd = directory({
      'slurm.conf': 'ClusterName=c\nNodeName=n[1-2] CPUs=4\nPartitionName=a Nodes=ALL\n', 'log.txt': `${log.split('\n')[0]}|Eligible|SubmitLine\n${rows.join('\n')}\n`,
    })
    const { code } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=node', '--option', `dependencies=${dependencies}`, '--option', `submit=${submit}`, '--nodes', 'slurm.conf', '--queues', 'slurm.conf', '--out', 'out', '--quiet'], { cwd })
    expect([code, startsIn(cwd)]).toEqual([0, expected])
  })

  it('reserves nothing for jobs of a QOS with NoReserve, and tells other flags', async () => {
    // 1 takes a node until 100; 2 of both, without a reservation, does not keep 3 of four minutes from starting
    const rows = ['1|low|1000|1000|1100|00:02:00|COMPLETED|1|1|normal', '2|low|1010|1010|1030|00:01:00|COMPLETED|2|2|scavenger', '3|low|1020|1020|1260|00:04:00|COMPLETED|1|1|normal']
    const run = async (flag: string) => {
      const cwd = directory({ 'slurm.conf': conf.replace('CPUs=4', 'CPUs=1'), 'log.txt': `${log.split('\n')[0]}|QOS\n${rows.join('\n')}\n`, 'qos.txt': `Name|Flags\nnormal|\nscavenger|${flag}\n` })
      const { code, err } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', 'slurm.conf+qos.txt', '--out', 'out'], { cwd })
      expect(code).toBe(0)
      return [startsIn(cwd), /QOS scavenger Flags = .*/.exec(err)?.[0]]
    }
    expect(await run('RequiresReservation')).toEqual([['1,0', '2,100', '3,120'], 'QOS scavenger Flags = RequiresReservation: there are no reservations in advance'])
    expect(await run('NoReserve')).toEqual([['1,0', '2,270', '3,30'], 'QOS scavenger Flags = NoReserve'])
  })

  it.each([
    ['of the cluster', '', 'half', ['1,0', '2,0', '3,100']],
    ['of the partition that it is the QOS of, for which jobs do not ask', 'QOS=half', 'normal', ['1,0', '2,100', '3,200']],
    ['of the partition that it is the QOS of, and refuses jobs that ask for it', 'QOS=half', 'half', []],
  ])('takes the limits of a QOS with the flag Relative for percentages %s', async (_, setting, qos, expected) => {
    // 16 processors, of which the partition has 8; each job asks for 4 of it
    const rows = [1, 2, 3].map((id) => `${id}|low|1000|1000|1100|00:02:00|COMPLETED|1|4|${qos}`)
    const cwd = directory({
      'slurm.conf': `ClusterName=c\nAccountingStorageEnforce=limits\nNodeName=n[1-4] CPUs=4\nPartitionName=low Nodes=n[1-2] ${setting}\n`, 'log.txt': `${log.split('\n')[0]}|QOS\n${rows.join('\n')}\n`, 'qos.txt': 'Name|Flags|GrpTRES\nnormal||\nhalf|Relative|cpu=50\n',
    })
    const { code } = await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', 'slurm.conf+qos.txt', '--out', 'out', '--quiet'], { cwd })
    expect([code, startsIn(cwd)]).toEqual([0, expected])
  })

  it('forgets usage at the midnight of the log that its header tells', async () => {
    // eve takes all until 172,900; bob used 500 s from 100,000 on. His job comes first by submission, ann's where nothing was forgotten since
    const jobs = ['2 100000 -1 500 1 -1 -1 1 500 -1 1 2', '3 172000 -1 900 1 -1 -1 1 900 -1 1 3', '4 172001 -1 10 1 -1 -1 1 10 -1 1 2', '5 172001 -1 10 1 -1 -1 1 10 -1 1 1']
    const run = async (header: string, ...more: string[]) => {
      const cwd = directory({
        'slurm.conf': 'ClusterName=c\nPriorityWeightFairshare=1000\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=DAILY\n', 'log.swf': `; MaxProcs: 1\n${header}${jobs.map((each) => `${each} 1 -1 1 -1 -1 -1\n`).join('')}`,
      })
      const { code, err } = await sched(['run', '--trace', 'log.swf', '--queues', 'slurm.conf', '--out', 'out', ...more], { cwd })
      expect(code).toBe(0)
      return [startsIn(cwd).slice(2), /warning: .*usageReset is daily.*/.test(err)]
    }
    expect(await run(`; UnixStartTime: ${Date.parse('2024-03-05T23:00:00Z') / 1000}\n`)).toEqual([['4,172910', '5,172900'], false])
    expect(await run(`; UnixStartTime: ${Date.parse('2024-03-05T12:00:01Z') / 1000}\n`)).toEqual([['4,172900', '5,172910'], false])
    expect(await run('')).toEqual([['4,172900', '5,172910'], true]) // as if 172,800 were a midnight
    // 22:00:01 of the place: midnight at 7,199 and 93,599
    const noon = `; UnixStartTime: ${Date.parse('2024-03-05T12:00:01Z') / 1000}\n`
    expect(await run(`${noon}; TimeZoneString: Asia/Vladivostok\n`)).toEqual([['4,172910', '5,172900'], false])
    expect(await run(noon, '--time-zone', 'Asia/Vladivostok')).toEqual([['4,172910', '5,172900'], false])
    expect(await run(`${noon}; TimeZoneString: Asia/Vladivostok\n`, '--time-zone', 'UTC')).toEqual([['4,172900', '5,172910'], false])
    const { code, err } = await sched(['run', '--trace', 'log.swf', '--time-zone', 'Nowhere'], { cwd: directory({ 'log.swf': '; MaxProcs: 1\n1 0 0 1 1 -1 -1 1 1 -1 1 1 1 -1 1 -1 -1 -1\n' }) })
    expect([code, err]).toEqual([2, 'error: workload.timeZone: found "Nowhere", expected a time zone, for example Europe/Stockholm.\n'])
  })

  it('includes files from its folder, also those that stand elsewhere on the cluster', async () => {
    const [nodes = '', rest = ''] = ['NodeName=n[1-2] CPUs=4\n', conf.replace('NodeName=n[1-2] CPUs=4\n', 'Include /etc/slurm/no-such-folder/nodes.conf\n')]
    const cwd = directory({ 'log.txt': log, 'site.slurm.conf': rest, 'nodes.conf': nodes })
    const run = () => sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'site.slurm.conf', '--queues', 'site.slurm.conf', '--quiet'], { cwd })
    expect((await run()).code).toBe(0)
    const gone = directory({ 'log.txt': log, 'site.slurm.conf': rest })
    const { code, err, out } = await sched(['run', '--trace', 'log.txt', '--nodes', 'site.slurm.conf'], { cwd: gone })
    expect([code, out, err.replaceAll(gone, '')]).toEqual([2, '', 'error: "/site.slurm.conf" line 4: includes /etc/slurm/no-such-folder/nodes.conf, which is not there. Put that file beside this one, or its lines in the place of this one.\n'])
  })

  it('warns of partitions that it does not declare, until queues are called as there', async () => {
    const cwd = directory({ ...files, 'log.txt': log.replace('|low|', '|p1|').replace('|high|', '|p2|') })
    const run = (...options: string[]) => sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf', '--queues', 'slurm.conf', ...options, '--quiet'], { cwd })
    expect((await run('--queue-names', '*=high')).err).toBe('')
    const { code, err } = await run('--queue-names', 'p2=high')
    expect([code, err]).toEqual([0, 'warning: slurm: job 1 and perhaps others are in the partition "p1", which slurm.conf does not declare (low, high): limits and priorities of partitions do not hold for such jobs. If it is called otherwise there: `--queue-names p1=low`.\n'])
  })

  it.each(['unit=procs', 'unit=nodes'])('has nodes for jobs read with %s', async (unit) => {
    expect(await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--option', unit, '--nodes', 'slurm.conf', '--policy', 'easy', '--quiet'], { cwd: directory(files) })).toMatchObject({ code: 0 })
  })

  it('is shown with what becomes of each line', async () => {
    const { code, out } = await sched(['queues', 'show', 'slurm.conf'], { cwd: directory(files) })
    expect({ code, lines: out.split('\n').map((line) => line.trimEnd()) }).toEqual({ code: 0, lines: [
      'queue  tier  nodes',
      '-----  ----  -----',
      'low       1    ALL',
      'high      5',
      '',
      'honoured: 4 settings',
      '  line 2: PreemptType = preempt/partition_prio',
      '  line 3: PreemptMode = REQUEUE',
      '  line 5: low Nodes = ALL',
      '  line 6: high PriorityTier = 5',
      'approximated: 1 setting',
      '  line 6: high Nodes: none are given: its jobs may run on all nodes, in Slurm on none',
      'ignored: 1 setting',
      '  line 1: 1 other setting = ClusterName: of daemons, accounts, logs: nothing of that is simulated',
      '',
    ] })
  })

  it('is limited by what sacctmgr prints, where it stands beside it, and the reason is told', async () => {
    const qos = 'Name|MaxJobsPU\nnormal|1\n'
    const cwd = directory({ ...files, 'limits.conf': `${conf.replace('REQUEUE', 'OFF')}AccountingStorageEnforce=limits\nPartitionName=short MaxTime=1\n`, 'qos.txt': qos, 'two.txt': qos.replace('|1', '|2'), 'log.txt': `${log}3|low|1020|1020|1040|00:01:00|COMPLETED|1|4\n4|short|1030|1030|1040|00:02:00|COMPLETED|1|4\n` })
    const options = ['--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'slurm.conf']
    const { out } = await sched(['explain', ...options, '--queues', 'limits.conf+qos.txt,limits.conf+two.txt', '--job', '3'], { cwd })
    // 1 holds both nodes until 100, then 2, 20 s long; with one job of a user at a time 3 waits for that, too
    expect(out.split('\n').flatMap((line) => /^ {2}(\d+ to \d+ s: .*)/.exec(line)?.[1] ?? [])).toEqual(['20 to 120 s: queue limit QOSMaxJobsPerUserLimit of user user in QOS normal', '20 to 100 s: no room'])
    const run = await sched(['run', ...options, '--queues', 'limits.conf+qos.txt'], { cwd })
    expect(run.out).toContain('3 of 4 jobs finished, 1 not finished')
    expect(run.err).toContain('1 job can never start, since limits forbid it: PartitionTimeLimit (1). Raise the limit, or change what job 4 asks for.')
    const { out: waiting } = await sched(['explain', ...options, '--queues', 'limits.conf+qos.txt', '--job', '4'], { cwd })
    expect(waiting.split('\n').flatMap((line) => /^ {2}(\d+ to \d+ s: .*)/.exec(line)?.[1] ?? [])).toEqual(['30 to 300 s: queue limit PartitionTimeLimit']) // to the end of the run, where priorities are computed for the last time
    // without --job not 4, which never starts and waits to the end of the run, but 3, which waits longest of those that start
    const longest = await sched(['explain', ...options, '--queues', 'limits.conf+qos.txt'], { cwd })
    expect([longest.out, longest.err]).toEqual([expect.stringMatching(/^job 3 /m), expect.stringMatching(/^note: 1 job never starts under limits\+qos \(4\), and the longest wait is that of one that does; --job 4 explains it\.$/m)])
    expect((await sched(['explain', ...options, '--queues', 'limits.conf+qos.txt', '--quiet'], { cwd })).err).toBe('')
    const cut = await sched(['explain', ...options, '--queues', 'limits.conf+qos.txt', '--until', '200'], { cwd })
    expect([cut.out, cut.err]).toEqual([expect.stringMatching(/^job 4 /m), expect.not.stringContaining('never')])
    expect((await sched(['queues', 'diff', 'limits.conf+qos.txt', 'limits.conf+two.txt'], { cwd })).out).toMatch(/QOS normal +MaxJobsPU +1 +2/)
  })

  it('keeps jobs on the nodes of their partition; those of another start meanwhile, on the nodes that it lacks', async () => {
    const nodes = 'ClusterName=c\nNodeName=n[1-4] CPUs=4\nNodeName=g[1-2] CPUs=4\nPartitionName=cpu Nodes=n[1-4],g1 Default=YES\nPartitionName=gpu Nodes=g[1-2]\n'
    // 1 holds both nodes of gpu, for which 2 waits; 3 starts at once on the other four, and 4 waits for one of these or of g1, which 2 may need
    const jobs = 'JobID|Partition|Submit|Start|End|Timelimit|State|NNodes|ReqCPUS\n1|gpu|1000|1000|1100|00:02:00|COMPLETED|2|8\n2|gpu|1010|1110|1130|00:01:00|COMPLETED|1|4\n3||1020|1020|1040|00:01:00|COMPLETED|4|16\n4|cpu|1021|1020|1040|00:01:00|COMPLETED|1|4\n'
    const cwd = directory({ 'site.conf': nodes, 'log.txt': jobs })
    await sched(['run', '--trace', 'log.txt', '--option', 'tasks=each', '--nodes', 'site.conf', '--queues', 'site.conf', '--out', 'out', '--schedule', '--quiet'], { cwd })
    const rows = readFileSync(join(cwd, 'out', readdirSync(join(cwd, 'out')).find((file) => file.startsWith('schedule')) ?? ''), 'utf8').trim().split('\n').slice(1).map((row) => row.split(','))
    expect(rows.map((row) => [row[1], row[4], row[8]].join()).sort()).toEqual(['1,0,0-1', '2,100,0', '3,20,2-5', '4,40,2'])
  })

  it('says how to read a log whose jobs are wider than its nodes', async () => {
    const { code, err } = await sched(['run', '--trace', 'log.txt', '--nodes', 'slurm.conf', '--policy', 'easy'], { cwd: directory(files) })
    expect([code, err.split('\n').find((line) => line.startsWith('error'))?.replace(/".*log.txt" line 2: /, '')]).toEqual([2, 'error: a task of job 1 asks {"procs":8}, more than any node of c has. Make each of its processors or nodes a task (of a log: `--option tasks=each`), or use larger nodes. Or leave such jobs out with `--infeasible reject`.'])
  })

  it('says how to read records whose jobs ask for more of several resources than one of its nodes has', async () => {
    const cwd = directory({
      'gpu.conf': 'ClusterName=g\nGresTypes=gpu\nNodeName=n[1-4] CPUs=4 Gres=gpu:2\nPartitionName=main Nodes=ALL Default=YES\n',
      'log.txt': 'JobID|Partition|Submit|Start|End|Timelimit|State|NNodes|NCPUS|ReqTRES\n1|main|1000|1000|1100|00:02:00|COMPLETED|2|8|cpu=8,gres/gpu=4,node=2\n',
    })
    const args = ['run', '--trace', 'log.txt', '--nodes', 'gpu.conf', '--policy', 'easy', '--option', 'gpuDemand=true']
    expect((await sched(args, { cwd })).err.replace(/".*log.txt" line 2: /, '')).toBe('error: a task of job 1 asks {"procs":8,"gpus":4}, more than any node of g has. Make what it has of each of its nodes a task (of records that tell the nodes of jobs: `--option tasks=node`), or use larger nodes. Or leave such jobs out with `--infeasible reject`.\n')
    expect((await sched([...args, '--option', 'tasks=node'], { cwd })).out).toContain('1 of 1 job finished; 2 tasks, 2 starts')
  })

  it('has the nodes of which a trace is said to be a load', async () => {
    const load = async (...options: string[]) => {
      const { out, err } = await sched(['trace', 'describe', 'log.txt', ...options], { cwd: directory(files) })
      return /^procs .* (\S+)$/m.exec(out)?.[1] ?? err
    }
    // 8 x 100 + 4 x 20 processor seconds in 10 s
    expect(await load('--nodes', 'slurm.conf')).toBe('1100.0%')
    expect(await load('--cluster', '{nodes: 1, resources: {procs: 16}}')).toBe('550.0%')
    expect(await load('--nodes', '2', '--slots', 'procs=2')).toBe('2200.0%')
    expect(await load('--nodes', 'slurm.conf', '--slots', 'procs=2')).toContain('error: ')
    expect(await load('--nodes', '2', '--cluster', 'slurm.conf')).toContain('--nodes: stands beside --cluster')
  })

  it('is refused as a trace, and with a mistake, with its line', async () => {
    const cwd = directory({ ...files, 'bad.conf': `${conf}NodeName=n2\n` })
    expect((await sched(['trace', 'describe', 'slurm.conf'], { cwd })).err).toContain('slurm.conf": looks like a slurm.conf (for --nodes and --queues)')
    const { code, err } = await sched(['run', '--trace', 'log.txt', '--nodes', 'bad.conf'], { cwd })
    expect([code, err]).toEqual([2, expect.stringContaining('bad.conf" line 7 NodeName: node "n2" was declared before. Give every node once.')])
  })
})
