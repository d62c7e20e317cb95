import type { Claim, Finding } from './claim.js'
import { expectedText, publishedText, simulatedText } from './figures.js'
import { rowOf, type Row } from './row.js'
import type { Result, Sheet } from './sheet.js'
import { met } from './verdict.js'

const columns = ['id', 'published', 'simulated (interval)', 'class', 'verdict']

/** The rows of an experiment that were asked for. */
export const rowsOf = ({ claims, findings }: Result): Row[] => claims.map((claim) => rowOf(claim, findings.byId[claim.id]))

/** The table of published against simulated results. */
export function resultTable(results: readonly Result[]): string {
  const rows = results.flatMap(({ claims, findings }) => claims.map((claim) => cells(claim, findings.byId[claim.id])))
  return [columns, columns.map(() => '---'), ...rows].map(line).join('')
}

/** Not padded: a row of many figures would make every row as long. */
const line = (cells: readonly string[]): string => `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |\n`

function cells(claim: Claim, finding: Finding | undefined): string[] {
  return [claim.id, publishedText(claim), simulatedText(claim, finding), claim.class, rowOf(claim, finding).verdict]
}

/** What each figure of the rows is, and where it must lie; a line per row. */
export const legend = (results: readonly Result[]): string => results.flatMap(({ claims }) => claims.flatMap(measures)).map((text) => `${text}\n`).join('')

/** `Q: 36 of 36 within. R: 12 of 14 directions hold. N: 2 not reproducible.` */
export function tally(results: readonly Result[]): string {
  const rows = results.flatMap(rowsOf)
  const of = (kind: Row['class']) => rows.filter((row) => row.class === kind)
  const held = (kind: Row['class']) => `${of(kind).filter(({ verdict }) => met(verdict)).length} of ${of(kind).length}`
  return `Q: ${held('Q')} within. R: ${held('R')} directions hold. N: ${of('N').length} not reproducible.`
}

/** The whole page of a sheet, in Markdown. */
export function page(sheet: Sheet, results: readonly Result[], seeds: number): string {
  return [
    `# ${sheet.title}`,
    '',
    `Written by \`pnpm bench papers ${sheet.name} --write\`; do not edit.`,
    '',
    `Source of the published results: ${sheet.source}`,
    '',
    ...reading(seeds),
    '',
    tally(results),
    '',
    ...results.flatMap(section),
  ].join('\n')
}

const reading = (seeds: number) => [
  `Every experiment ran with the seeds 1 to ${seeds}. Policies that are compared meet the same jobs, block places and task times on a ` +
    `seed. A figure is`,
  'the mean over the seeds with the 95% interval of that mean (Student\'s t); one value stands alone where the interval is too narrow ' +
    'to show.',
  'Each experiment has one set-up for all its rows.',
  '',
  'Class Q is a quantitative target: *within* its tolerance or *outside by* so much (shares as fractions). Class R is a ratio or ' +
    'direction: it *holds* when',
  'the means lie on the published side, *mean only* when an interval reaches over to the other side. Class N cannot be reproduced. ' +
    'What each figure',
  'of a row is, and where it must lie, stands below the table.',
]

function section(result: Result): string[] {
  const { title, setup, claims, findings } = result
  const reasons = claims.flatMap((claim) => reason(claim, rowOf(claim, findings.byId[claim.id])))
  const remarks = [...reasons, ...(findings.remarks ?? [])]
  return [
    `## ${title}`, '', setup.join(' '), '',
    resultTable([result]),
    ...claims.flatMap(measures), '',
    ...(findings.tables ?? []).flatMap((table) => [table, '']),
    ...(remarks.length === 0 ? [] : ['Remarks:', '', ...remarks.map((text) => `- ${text}`), '']),
  ]
}

function measures({ id, measures, notes = [] }: Claim): string[] {
  const texts = measures.map(({ name, unit, expected }) => [name, expectedText(expected, unit)].filter((text) => text !== '').join(': '))
  return texts.length === 0 ? [] : [`- \`${id}\`: ${texts.join('; ')}`, ...notes.map((note) => `  - ${note}`)]
}

/** Why a row does not hold, in a sentence. */
function reason(claim: Claim, { verdict }: Row): string[] {
  if (claim.class === 'N' || claim.class === 'own' || met(verdict)) return []
  return [`\`${claim.id}\`, ${verdict}: ${claim.why ?? 'no reason was found'}.`]
}
