import type { Tres } from './amounts.js'

/** The reasons that squeue prints for limits of resources. Source: Slurm, job_reason_codes. */
const byTres = {
  QOSGrp: { cpu: 'QOSGrpCpuLimit', mem: 'QOSGrpMemLimit', node: 'QOSGrpNodeLimit', gres: 'QOSGrpGRES', billing: 'QOSGrpBilling' },
  QOSGrpMins: { cpu: 'QOSGrpCPUMinutesLimit', mem: 'QOSGrpMemMinutes', node: 'QOSGrpNodeMinutes', gres: 'QOSGrpGRESMinutes', billing: 'QOSGrpBillingMinutes' },
  QOSGrpRunMins: { cpu: 'QOSGrpCPURunMinutesLimit', mem: 'QOSGrpMemRunMinutes', node: 'QOSGrpNodeRunMinutes', gres: 'QOSGrpGRESRunMinutes', billing: 'QOSGrpBillingRunMinutes' },
  QOSMinsPerJob: { cpu: 'QOSMaxCpuMinutesPerJobLimit', mem: 'QOSMaxMemoryMinutesPerJob', node: 'QOSMaxNodeMinutesPerJob', gres: 'QOSMaxGRESMinutesPerJob', billing: 'QOSMaxBillingMinutesPerJob' },
  QOSPerJob: { cpu: 'QOSMaxCpuPerJobLimit', mem: 'QOSMaxMemoryPerJob', node: 'QOSMaxNodePerJobLimit', gres: 'QOSMaxGRESPerJob', billing: 'QOSMaxBillingPerJob' },
  QOSMin: { cpu: 'QOSMinCpuNotSatisfied', mem: 'QOSMinMemory', node: 'QOSMinNode', gres: 'QOSMinGRES', billing: 'QOSMinBilling' },
  QOSPerUser: { cpu: 'QOSMaxCpuPerUserLimit', mem: 'QOSMaxMemoryPerUser', node: 'QOSMaxNodePerUserLimit', gres: 'QOSMaxGRESPerUser', billing: 'QOSMaxBillingPerUser' },
  QOSPerAccount: { cpu: 'MaxCpuPerAccount', mem: 'MaxMemoryPerAccount', node: 'MaxNodePerAccount', gres: 'MaxGRESPerAccount', billing: 'MaxBillingPerAccount' },
  QOSRunMinsPerUser: { cpu: 'MaxCpuRunMinsPerUser', mem: 'MaxMemoryRunMinsPerUser', node: 'MaxNodeRunMinsPerUser', gres: 'MaxGRESRunMinsPerUser', billing: 'MaxBillingRunMinsPerUser' },
  QOSRunMinsPerAccount: { cpu: 'MaxCpuRunMinsPerAccount', mem: 'MaxMemoryRunMinsPerAccount', node: 'MaxNodeRunMinsPerAccount', gres: 'MaxGRESRunMinsPerAccount', billing: 'MaxBillingRunMinsPerAccount' },
  AssocGrp: { cpu: 'AssocGrpCpuLimit', mem: 'AssocGrpMemLimit', node: 'AssocGrpNodeLimit', gres: 'AssocGrpGRES', billing: 'AssocGrpBilling' },
  AssocGrpMins: { cpu: 'AssocGrpCPUMinutesLimit', mem: 'AssocGrpMemMinutes', node: 'AssocGrpNodeMinutes', gres: 'AssocGrpGRESMinutes', billing: 'AssocGrpBillingMinutes' },
  AssocGrpRunMins: { cpu: 'AssocGrpCPURunMinutesLimit', mem: 'AssocGrpMemRunMinutes', node: 'AssocGrpNodeRunMinutes', gres: 'AssocGrpGRESRunMinutes', billing: 'AssocGrpBillingRunMinutes' },
  AssocMinsPerJob: { cpu: 'AssocMaxCpuMinutesPerJobLimit', mem: 'AssocMaxMemMinutesPerJob', node: 'AssocMaxNodeMinutesPerJob', gres: 'AssocMaxGRESMinutesPerJob', billing: 'AssocMaxBillingMinutesPerJob' },
  AssocPerJob: { cpu: 'AssocMaxCpuPerJobLimit', mem: 'AssocMaxMemPerJob', node: 'AssocMaxNodePerJobLimit', gres: 'AssocMaxGRESPerJob', billing: 'AssocMaxBillingPerJob' },
  Partition: { cpu: 'PartitionNodeLimit', mem: 'PartitionNodeLimit', node: 'PartitionNodeLimit', gres: 'PartitionNodeLimit', billing: 'PartitionNodeLimit' },
} as const

export type Scope = keyof typeof byTres
/** The reason that squeue prints for a limit of this scope on this resource. */
export const reasonOf = (scope: Scope, tres: Tres): string => byTres[scope][tres]
