import { knownWords } from '@sched/core'
import type { Setting } from '../setting.js'

/** Limits by the names that sacctmgr has for them, in small letters: their names in `slurm-limits`, for QOS and associations alike. */
const limits: Readonly<Record<string, string>> = {
  grptres: 'GrpTRES', grpjobs: 'GrpJobs', grpjob: 'GrpJobs', grpsubmit: 'GrpSubmitJobs', grpsubmitjobs: 'GrpSubmitJobs', grptresmins: 'GrpTRESMins', grptresrunmins: 'GrpTRESRunMins', grpwall: 'GrpWall', maxtresmins: 'MaxTRESMinsPerJob', maxtresminsperjob: 'MaxTRESMinsPerJob', maxtresminspj: 'MaxTRESMinsPerJob',
  maxtres: 'MaxTRESPerJob', maxtresperjob: 'MaxTRESPerJob', maxtrespj: 'MaxTRESPerJob', maxwall: 'MaxWall', maxwallduration: 'MaxWall', maxwalldurationperjob: 'MaxWall',
}
export const limitsOfQos = knownWords<string>({
  ...limits, usagefactor: 'UsageFactor', limitfactor: 'LimitFactor', usagethres: 'UsageThreshold', usagethreshold: 'UsageThreshold',
  mintres: 'MinTRESPerJob', mintresperjob: 'MinTRESPerJob', maxtrespu: 'MaxTRESPerUser', maxtresperuser: 'MaxTRESPerUser', maxjobs: 'MaxJobsPerUser', maxjobspu: 'MaxJobsPerUser', maxjobsperuser: 'MaxJobsPerUser',
  maxtresrunminspu: 'MaxTRESRunMinsPerUser', maxtresrunminsperuser: 'MaxTRESRunMinsPerUser', maxtresrunminspa: 'MaxTRESRunMinsPerAccount', maxtresrunminsperaccount: 'MaxTRESRunMinsPerAccount', maxtresrunminsperacct: 'MaxTRESRunMinsPerAccount',
  maxsubmit: 'MaxSubmitJobsPerUser', maxsubmitjobs: 'MaxSubmitJobsPerUser', maxsubmitpu: 'MaxSubmitJobsPerUser', maxsubmitjobspu: 'MaxSubmitJobsPerUser', maxsubmitjobsperuser: 'MaxSubmitJobsPerUser', maxtrespa: 'MaxTRESPerAccount', maxtresperaccount: 'MaxTRESPerAccount',
  maxjobspa: 'MaxJobsPerAccount', maxjobsperaccount: 'MaxJobsPerAccount', maxsubmitpa: 'MaxSubmitJobsPerAccount', maxsubmitjobspa: 'MaxSubmitJobsPerAccount', maxsubmitjobsperaccount: 'MaxSubmitJobsPerAccount',
})
export const limitsOfAssociation = knownWords<string>({
  ...limits, maxjobs: 'MaxJobs', maxjobsperuser: 'MaxJobs', maxsubmit: 'MaxSubmitJobs', maxsubmitjobs: 'MaxSubmitJobs', defaultqos: 'DefaultQOS', defqos: 'DefaultQOS', qos: 'QOS', qoslevel: 'QOS',
})

/** Older names of limits of one resource: the newer limit and the resource in it. */
const ofOneResource = knownWords<readonly [string, string]>({
  grpcpus: ['grptres', 'cpu'], grpnodes: ['grptres', 'node'], grpmemory: ['grptres', 'mem'], grpmem: ['grptres', 'mem'], grpcpumins: ['grptresmins', 'cpu'], grpcpurunmins: ['grptresrunmins', 'cpu'], maxcpumins: ['maxtresmins', 'cpu'], maxcpuminsperjob: ['maxtresmins', 'cpu'],
  maxcpus: ['maxtres', 'cpu'], maxcpusperjob: ['maxtres', 'cpu'], maxnodes: ['maxtres', 'node'], maxnodesperjob: ['maxtres', 'node'],
  maxcpuspu: ['maxtrespu', 'cpu'], maxcpusperuser: ['maxtrespu', 'cpu'], maxnodespu: ['maxtrespu', 'node'], maxnodesperuser: ['maxtrespu', 'node'], mincpus: ['mintres', 'cpu'], mincpusperjob: ['mintres', 'cpu'],
})

/**
 * The name of a setting, in small letters and without blanks and underscores, and its value. An older name becomes the newer one. For a change of a list,
 * `QOS+=high,low`, each name in the value gets the sign: `+high,+low`.
 */
export function keyAndValue({ name, value }: Setting): readonly [string, string] {
  const key = name.replace(/[\s_]/g, '').toLowerCase()
  const [, list, sign] = /^(qos|qoslevel)([+-])$/.exec(key) ?? []
  if (list !== undefined) return [list, value.split(',').map((name) => `${sign}${name.trim()}`).join(',')]
  const found = ofOneResource[key]
  return found === undefined ? [key, value] : [found[0], `${found[1]}=${value}`]
}

/** The setting of a QOS or an association under any of these names; undefined where it is not given or empty. */
export const settingOf = ({ settings }: { readonly settings: readonly Setting[] }, ...names: readonly string[]): Setting | undefined =>
  settings.find((setting) => names.includes(keyAndValue(setting)[0]) && setting.value !== '')

const ANY_NODES = 'tasks of a job are on any nodes'

/** Why other settings have no effect; empty for those that have nothing to do with scheduling or are told elsewhere. Source of all names: sacctmgr, Slurm 25. */
const common = {
  description: '', organization: '', organisation: '', adminlevel: '', coordinators: '', coordinator: '', coordinatorraw: '', classification: '', id: '', cluster: '', defaultwckey: '', defwckey: '', wckeys: '', lft: '', rgt: '', lineage: '', parentid: '', parid: '',
  qosraw: '', descr: '', org: '', admin: '', comment: '', event: '', problem: '', withdeleted: '',
  partition: '',
  grpjobsaccrue: '', maxjobsaccrue: '', maxtrespernode: ANY_NODES, maxtrespn: ANY_NODES,
}
export const whyIgnoredOfQos = knownWords<string>({
  ...common, priority: '', preempt: '', flags: '', gracetime: '', preemptmode: '', preemptexempttime: '',
  maxjobsaccruepu: '', maxjobsaccrueperuser: '', maxjobsaccruepa: '', maxjobsaccrueperaccount: '', maxjobsaccrueperacct: '', minpriothres: '', minpriothreshold: '', minpriothresh: '',
})
export const whyIgnoredOfAssociation = knownWords<string>({
  ...common, fairshare: '', share: '', shares: '', defaultaccount: '', defacct: '', priority: '', minpriothresh: '', minpriothreshold: '',
  maxtresrunmins: 'Slurm does not enforce it either',
})
