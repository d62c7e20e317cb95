import type { Tres } from './amounts.js'

/** Reasons as squeue prints them for limits of resources. Source: Slurm, job_reason_codes. */
const byTres = {
  QOSGrp: { cpu: 'QOSGrpCpuLimit', mem: 'QOSGrpMemLimit', node: 'QOSGrpNodeLimit', gres: 'QOSGrpGRES' },
  QOSGrpMins: { cpu: 'QOSGrpCPUMinutesLimit', mem: 'QOSGrpMemMinutes', node: 'QOSGrpNodeMinutes', gres: 'QOSGrpGRESMinutes' },
  QOSGrpRunMins: { cpu: 'QOSGrpCPURunMinutesLimit', mem: 'QOSGrpMemRunMinutes', node: 'QOSGrpNodeRunMinutes', gres: 'QOSGrpGRESRunMinutes' },
  QOSMinsPerJob: { cpu: 'QOSMaxCpuMinutesPerJobLimit', mem: 'QOSMaxMemoryMinutesPerJob', node: 'QOSMaxNodeMinutesPerJob', gres: 'QOSMaxGRESMinutesPerJob' },
  QOSPerJob: { cpu: 'QOSMaxCpuPerJobLimit', mem: 'QOSMaxMemoryPerJob', node: 'QOSMaxNodePerJobLimit', gres: 'QOSMaxGRESPerJob' },
  QOSMin: { cpu: 'QOSMinCpuNotSatisfied', mem: 'QOSMinMemory', node: 'QOSMinNode', gres: 'QOSMinGRES' },
  QOSPerUser: { cpu: 'QOSMaxCpuPerUserLimit', mem: 'QOSMaxMemoryPerUser', node: 'QOSMaxNodePerUserLimit', gres: 'QOSMaxGRESPerUser' },
  QOSPerAccount: { cpu: 'MaxCpuPerAccount', mem: 'MaxMemoryPerAccount', node: 'MaxNodePerAccount', gres: 'MaxGRESPerAccount' },
  AssocGrp: { cpu: 'AssocGrpCpuLimit', mem: 'AssocGrpMemLimit', node: 'AssocGrpNodeLimit', gres: 'AssocGrpGRES' },
  AssocGrpMins: { cpu: 'AssocGrpCPUMinutesLimit', mem: 'AssocGrpMemMinutes', node: 'AssocGrpNodeMinutes', gres: 'AssocGrpGRESMinutes' },
  AssocGrpRunMins: { cpu: 'AssocGrpCPURunMinutesLimit', mem: 'AssocGrpMemRunMinutes', node: 'AssocGrpNodeRunMinutes', gres: 'AssocGrpGRESRunMinutes' },
  AssocMinsPerJob: { cpu: 'AssocMaxCpuMinutesPerJobLimit', mem: 'AssocMaxMemMinutesPerJob', node: 'AssocMaxNodeMinutesPerJob', gres: 'AssocMaxGRESMinutesPerJob' },
  AssocPerJob: { cpu: 'AssocMaxCpuPerJobLimit', mem: 'AssocMaxMemPerJob', node: 'AssocMaxNodePerJobLimit', gres: 'AssocMaxGRESPerJob' },
  Partition: { cpu: 'PartitionNodeLimit', mem: 'PartitionNodeLimit', node: 'PartitionNodeLimit', gres: 'PartitionNodeLimit' },
} as const

export type Scope = keyof typeof byTres
export const reasonOf = (scope: Scope, tres: Tres): string => byTres[scope][tres]
