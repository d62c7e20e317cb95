import { SchedError, ownValue } from '@sched/core'
import type { Findings } from '../finding.js'
import type { SlurmConf } from './conf.js'

/** The notes on what becomes of a job that waits for a licence. */
const waiting = {
  reclaims: 'those that wait for one get no reservation, and take it from others',
  skips: 'those that wait for one get no reservation',
  reserves: 'those that wait for one get a reservation for when it is free',
  stops: 'those that wait for one keep all behind them from starting',
}

/**
 * The number of licences of each name (Licenses): 30 and 1 of `fluent:30,matlab`; numbers of equal names are added. Undefined if there are none. `what`: what
 * becomes of a job that waits for one. Adds a finding. Throws `BAD_INPUT` with the line.
 */
export function licensesOf({ general }: SlurmConf, what: keyof typeof waiting, findings: Findings): Record<string, number> | undefined {
  const setting = general.get('licenses')
  if (setting === undefined) return undefined
  const licenses: Record<string, number> = {}
  for (const part of setting.value.split(/[,;]/).map((each) => each.trim()).filter((each) => each !== '')) {
    const [, name, count = '1'] = /^([^:=*\s]+)(?:[:=*](\d{1,9}))?$/.exec(part) ?? []
    if (name === undefined)
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(part)}, expected a licence and how many there are.`,
        { file: setting.file, line: setting.line, field: setting.name },
        'Write Licenses=fluent:30,matlab:5.',
      )
    licenses[name] = (ownValue(licenses, name) ?? 0) + Number(count)
  }
  if (Object.keys(licenses).length === 0) return undefined
  findings.add(
    'honoured',
    setting,
    setting.name,
    setting.value,
    `of jobs whose records name them (license/... among their TRES); ${waiting[what]}`,
  )
  return licenses
}
