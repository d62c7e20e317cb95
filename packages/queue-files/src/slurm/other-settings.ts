import { knownWords } from '@sched/core'
import { UNLIMITED } from './times.js'

const MEMORY = 'jobs ask for the memory that the workload says (of a log: --option memory=requested)'

/** Settings that bear on when jobs start and are not simulated, by name in small letters, and why. */
export const whyIgnored = knownWords<string>({
  priorityparameters: 'the site factor of a job is its own priority',
  prioritysitefactorplugin: 'the site factor of a job is its own priority',
  prioritysitefactorparameters: 'the site factor of a job is its own priority',
  selecttypeparameters: 'what is scheduled are the resources that jobs ask for (of a log memory with --option memory=requested)',
  switchtype: 'there are no switches',
  overtimelimit: 'what becomes of jobs that run too long is chosen when the log is read (overrun)',
  inactivelimit: 'jobs run as long as the workload says',
  jobrequeue: 'interrupted jobs always run again',
  maxpreemptrequeue: 'preempted jobs always run again',
  maxnodefailrequeue: 'interrupted jobs always run again',
  maxbatchrequeue: 'interrupted jobs always run again',
  maxjobcount: 'any number of jobs may wait',
  maxarraysize: 'tasks of an array are jobs of their own',
  defmempercpu: MEMORY,
  defmempernode: MEMORY,
  maxmempercpu: MEMORY,
  maxmempernode: MEMORY,
  fastschedule: 'nodes have what the file says',
  schedulertimeslice: 'jobs do not share what they run on',
  suspendtime: 'nodes sleep where the groups of a cluster file say so (sleep)',
  suspendprogram: 'nodes sleep where the groups of a cluster file say so (sleep)',
  resumetimeout: 'nodes sleep where the groups of a cluster file say so (sleep)',
  completewait: 'a job gives its nodes back as soon as it ends',
  killwait: 'a job gives its nodes back as soon as it ends',
  minjobage: 'a job gives its nodes back as soon as it ends',
  jobdefaults: 'jobs ask for what the workload says',
  defmempergpu: MEMORY,
  defcpupergpu: 'jobs ask for the processors that the workload says',
  maxnodecount: 'nodes are those of the cluster',
  resvoverrun: 'there are no reservations in advance',
  requeueexit: 'exit codes of jobs are not known', requeueexithold: 'exit codes of jobs are not known',
  dependencyparameters: 'jobs are submitted when the workload says',
})

const no = /^(no|down|false|0)$/i
const none = /^(0|unlimited)$/i
/** Values with which a setting, general or of a partition, demands what is simulated anyway; most are Slurm's defaults. The setting then counts as honoured. */
const asHere = knownWords<RegExp>({
  jobrequeue: /^1$/, maxpreemptrequeue: /^0$/, overtimelimit: /^0$/, inactivelimit: /^0$/, completewait: /^0$/, suspendtime: /^(-1|infinite|4294967295)$/i, switchtype: /^(switch\/)?none$/i,
  maxmempercpu: none, maxmempernode: none, defmempercpu: none, defmempernode: none, maxcpuspernode: UNLIMITED, maxcpuspersocket: UNLIMITED, // 0: nobody starts there
  oversubscribe: /^(no|force:1)$/i, shared: /^(no|force:1)$/i, exclusiveuser: no, exclusivetopo: no, lln: no, allowgroups: /^all$/i, allocnodes: /^all$/i, rootonly: no, hidden: no, disablerootjobs: no, reqresv: no, powerdownonidle: no,
})
/** Whether a setting has such a value. `key`: its name in small letters. */
export const isAsHere = (key: string, value: string): boolean => asHere[key]?.test(value) === true

/** Settings of nodes, and why they have no effect; empty: they have one, or there is nothing to say. */
export const whyIgnoredOfNode = knownWords<string>({
  weight: '', tmpdisk: 'jobs ask for no disk', cpuspeclist: 'give CoreSpecCount', restrictedcorespergpu: 'not simulated', memspeclimit: '', corespeccount: '',
  cpus: '', procs: '', boards: '', sockets: '', socketsperboard: '', corespersocket: '', threadspercore: '', realmemory: '', gres: '', features: '', feature: '', state: '',
  nodeaddr: '', nodehostname: '', bcastaddr: '', port: '', reason: '', cpubind: '', topology: '', extra: '', comment: '', parameters: '',
})

/** The note for settings by which Slurm would choose other nodes. */
export const BEST_FIT = 'nodes are taken by weight and best fit'

/** The note for settings by which Slurm gives whole nodes to jobs, whatever they ask for. */
export const WHOLE_NODES = 'jobs get whole nodes in Slurm, and here where they ask for nodes (of a log: --option unit=nodes --option tasks=each)'

const jobsAsTheyAre = 'jobs ask for what the workload says'
const everybody = 'everybody may submit in a simulation'
/** Settings of partitions, and why they have no effect; empty: they have one. */
export const whyIgnoredOfPartition = knownWords<string>({
  maxcpuspernode: '', maxcpuspersocket: 'sockets are not simulated',
  maxmempercpu: jobsAsTheyAre, maxmempernode: jobsAsTheyAre, defmempercpu: jobsAsTheyAre, defmempernode: jobsAsTheyAre, defcpupergpu: jobsAsTheyAre, defmempergpu: jobsAsTheyAre, jobdefaults: jobsAsTheyAre,
  allowgroups: 'groups are not checked', allocnodes: everybody, rootonly: everybody, disablerootjobs: everybody, hidden: everybody, reqresv: everybody,
  alternate: 'the workload names the queue of a job',
  oversubscribe: 'jobs do not share what they run on', shared: 'jobs do not share what they run on', exclusiveuser: '', exclusivetopo: 'switches are shared',
  cpubind: 'which processors of a node a task gets is not simulated',
  lln: '', selecttypeparameters: BEST_FIT, cr: BEST_FIT,
  overtimelimit: 'what becomes of jobs that run too long is chosen when the log is read (overrun)',
  suspendtime: 'nodes sleep where the groups of a cluster file say so (sleep)', suspendtimeout: 'nodes sleep where the groups of a cluster file say so (sleep)', resumetimeout: 'nodes sleep where the groups of a cluster file say so (sleep)', powerdownonidle: 'nodes sleep where the groups of a cluster file say so (sleep)',
})
