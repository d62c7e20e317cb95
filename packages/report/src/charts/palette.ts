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
