import { knownWords } from '@sched/core'
import type { Setting } from '../setting.js'

/** Settings of `sacctmgr` by their names in small letters: what `slurm-limits` calls them, or what of them is one resource. */
const limits: Readonly<Record<string, string>> = {
  grptres: 'GrpTRES', grpjobs: 'GrpJobs', grpsubmit: 'GrpSubmitJobs', grpsubmitjobs: 'GrpSubmitJobs', grptresmins: 'GrpTRESMins', grptresrunmins: 'GrpTRESRunMins', grpwall: 'GrpWall', maxtresmins: 'MaxTRESMinsPerJob', maxtresminsperjob: 'MaxTRESMinsPerJob', maxtresminspj: 'MaxTRESMinsPerJob',
  maxtres: 'MaxTRESPerJob', maxtresperjob: 'MaxTRESPerJob', maxtrespj: 'MaxTRESPerJob', maxwall: 'MaxWall', maxwallduration: 'MaxWall', maxwalldurationperjob: 'MaxWall',
}
export const limitsOfQos = knownWords<string>({
  ...limits, usagefactor: 'UsageFactor',
  mintres: 'MinTRESPerJob', mintresperjob: 'MinTRESPerJob', maxtrespu: 'MaxTRESPerUser', maxtresperuser: 'MaxTRESPerUser', maxjobspu: 'MaxJobsPerUser', maxjobsperuser: 'MaxJobsPerUser',
  maxsubmitpu: 'MaxSubmitJobsPerUser', maxsubmitjobspu: 'MaxSubmitJobsPerUser', maxsubmitjobsperuser: 'MaxSubmitJobsPerUser', maxtrespa: 'MaxTRESPerAccount', maxtresperaccount: 'MaxTRESPerAccount',
  maxjobspa: 'MaxJobsPerAccount', maxjobsperaccount: 'MaxJobsPerAccount', maxsubmitpa: 'MaxSubmitJobsPerAccount', maxsubmitjobspa: 'MaxSubmitJobsPerAccount', maxsubmitjobsperaccount: 'MaxSubmitJobsPerAccount',
})
export const limitsOfAssociation = knownWords<string>({
  ...limits, maxjobs: 'MaxJobs', maxjobsperuser: 'MaxJobs', maxsubmit: 'MaxSubmitJobs', maxsubmitjobs: 'MaxSubmitJobs', defaultqos: 'DefaultQOS', defqos: 'DefaultQOS', qos: 'QOS', qoslevel: 'QOS',
})

/** Older names of limits of one resource. */
const ofOneResource = knownWords<readonly [string, string]>({
  grpcpus: ['grptres', 'cpu'], grpnodes: ['grptres', 'node'], grpmemory: ['grptres', 'mem'], grpmem: ['grptres', 'mem'], grpcpumins: ['grptresmins', 'cpu'], grpcpurunmins: ['grptresrunmins', 'cpu'], maxcpumins: ['maxtresmins', 'cpu'], maxcpuminsperjob: ['maxtresmins', 'cpu'],
  maxcpus: ['maxtres', 'cpu'], maxcpusperjob: ['maxtres', 'cpu'], maxnodes: ['maxtres', 'node'], maxnodesperjob: ['maxtres', 'node'],
  maxcpuspu: ['maxtrespu', 'cpu'], maxcpusperuser: ['maxtrespu', 'cpu'], maxnodespu: ['maxtrespu', 'node'], maxnodesperuser: ['maxtrespu', 'node'], mincpus: ['mintres', 'cpu'], mincpusperjob: ['mintres', 'cpu'],
})

/** The name of a setting without blanks, in small letters, and its value; of older names as the newer one. */
export function keyAndValue({ name, value }: Setting): readonly [string, string] {
  const key = name.replace(/[\s_]/g, '').toLowerCase()
  const found = ofOneResource[key]
  return found === undefined ? [key, value] : [found[0], `${found[1]}=${value}`]
}

/** Why other settings act on nothing. */
export const whyIgnoredOfDatabase = knownWords<string>({
  description: '', organization: '', organisation: '', adminlevel: '', coordinators: '', coordinator: '', classification: '', id: '', cluster: '', partition: 'associations of one partition are those of all, with the QOS of each',
  priority: '', fairshare: '', share: '', defaultaccount: '', preempt: '', flags: '', // told elsewhere
  gracetime: '', // told elsewhere
  preemptmode: '', // told elsewhere
  preemptexempttime: 'PreemptExemptTime of slurm.conf holds for all',
  usagethres: 'not simulated', usagethreshold: 'not simulated', limitfactor: 'not simulated',
  maxtrespernode: 'tasks of a job are on any nodes',
  maxtresrunminspa: 'not simulated', maxtresrunminspu: 'not simulated', maxtresrunmins: 'not simulated', maxjobsaccruepu: 'all jobs grow older', maxjobsaccruepa: 'all jobs grow older', maxjobsaccrue: 'all jobs grow older', grpjobsaccrue: 'all jobs grow older', minpriothres: 'not simulated', minpriothreshold: 'not simulated', minpriothresh: 'not simulated',
  defaultwckey: '', defwckey: '', wckeys: '', lft: '', rgt: '', parentid: '', parid: '', qosraw: '', descr: '', org: '', defacct: '', admin: '', comment: '',
})
