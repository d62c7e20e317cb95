import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const docs = join(root, 'docs')
const pages = [...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'examples/README.md'].map((name) => join(root, name)), ...readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')).map((name) => join(docs, name))]

/** A page without what stands in blocks of code. */
const textOf = (page: string) => readFileSync(page, 'utf8').replaceAll(/^```[^\n]*\n[^]*?^```/gm, '')
const headings = (page: string, mark: RegExp) => [...textOf(page).matchAll(mark)].map(([, heading = '']) => heading)
/** The name of a heading in addresses, as GitHub makes it. */
const anchorOf = (heading: string) => heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')

/** Pages of documentation with so many parts list them, those within a part on its line, but for the page that is written by the benchmarks. */
const MANY = 4
const long = pages
  .filter((page) => dirname(page) === docs && !page.endsWith('benchmarks.md'))
  .map((page) => [relative(root, page), [...textOf(page).matchAll(/^(###?) (.*)$/gm)]] as const)
  .filter(([, parts]) => parts.length >= MANY)

const link = (heading: string) => `[${heading.replaceAll('`', '')}](#${anchorOf(heading)})`

describe('documentation', () => {
  it.each(long)('%s says at its top what is on it', (page, parts) => {
    const lines: string[][] = []
    for (const [, mark, heading = ''] of parts) {
      if (mark === '##') lines.push([])
      lines.at(-1)?.push(link(heading))
    }
    const list = lines.map(([part, ...inner]) => `- ${part}${inner.length > 0 ? `: ${inner.join(' · ')}` : ''}`).join('\n')
    expect(readFileSync(join(root, page), 'utf8')).toContain(`\nOn this page:\n\n${list}\n\n`)
  })

  it('has no link to a page or a part that is not there', () => {
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)\s:]*)\)/g)].flatMap(([, link = '']) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : join(dirname(page), path)
        if (!existsSync(target)) return [`${relative(root, page)}: ${link}`]
        return anchor === undefined || !target.endsWith('.md') || headings(target, /^#+ (.*)$/gm).map(anchorOf).includes(anchor) ? [] : [`${relative(root, page)}: ${link}`]
      }))
    expect(broken).toEqual([])
  })
})
