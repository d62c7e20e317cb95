/**
 * Colours that people with any colour vision tell apart, and that stand out on white and on black.
 *
 * Source: Okabe and Ito, "Color Universal Design", 2008, without black and yellow, which one of the two would hide.
 */
export const palette: readonly string[] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#8C8C8C']

/** Of what stands for series number `i`; colours come again with other dashes. */
export const colorOf = (i: number): string => palette[i % palette.length] as string
export const dashOf = (i: number): string | readonly number[] => ['solid', [7, 3], [2, 2]][Math.floor(i / palette.length) % 3] as string | readonly number[]

/** Text and axes: of the page around the chart, or of the chart's own style. */
export const INK = 'currentColor'
export const GRID = 'var(--chart-grid)'

/** Of text on a colour of the palette: black or white, whichever is further from it. */
export function inkOn(color: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) as [number, number, number]
  return 0.299 * r + 0.587 * g + 0.114 * b > 125 ? '#000' : '#fff'
}
