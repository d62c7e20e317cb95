/** Text that is HTML already; whatever else comes into a page is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may stand in a template: text and numbers, HTML, several of them, or nothing. */
export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[]

/** HTML from a template: text that is put in is escaped, so that a name from a trace stays a name. */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(texts.map((text, i) => text + textOf(parts[i])).join(''))

/** As text between tags or in a quoted attribute, of HTML and of SVG alike; control characters become spaces. */
export const escaped = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, ' ').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

function textOf(part: HtmlPart): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  return typeof part === 'object' ? part.map(textOf).join('') : escaped(String(part))
}
