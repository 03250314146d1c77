// Every pair of colours used together, in every theme and mode, computed from the stylesheet.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { themes } from '../../../../worker/contract/themes.ts'
import { contrastOf, linearRgbOf, over, type Rgb } from '../../../support/oklch.ts'

const css = readFileSync(new URL('../../../../web/styles/themes.css', import.meta.url), 'utf8')

type Palette = ReadonlyMap<string, Rgb>

const rolePattern = /--([a-z-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\);/g

function paletteOf(theme: string, mode: 'light' | 'dark'): Palette {
  const block = new RegExp(`\\.theme-${theme} \\{([^}]*)\\}`).exec(css)?.[1]
  if (!block) throw new Error(`themes.css has no .theme-${theme}`)
  const entries = [...block.matchAll(rolePattern)].map(([, role = '', light = '', dark = '']) => {
    const [lightness = 0, chroma = 0, hue = 0] = (mode === 'light' ? light : dark).split(' ').map(Number)
    return [role, linearRgbOf(lightness, chroma, hue)] as const
  })
  return new Map(entries)
}

const grounds = ['background', 'surface', 'raised'] as const

/** [foreground, background, minimum contrast] */
const pairs: readonly (readonly [string, string, number])[] = [
  ...[...grounds, 'muted'].flatMap((ground) => [['foreground', ground, 7] as const, ['muted-foreground', ground, 4.5] as const]),
  ...grounds.flatMap((ground) => [
    ...['accent', 'danger', 'warning', 'success'].map((role) => [role, ground, 4.5] as const),
    ['control', ground, 3] as const,
    ['ring', ground, 3] as const,
  ]),
  ['accent-foreground', 'accent', 4.5],
  ['danger-foreground', 'danger', 4.5],
  ['accent', 'muted', 3],
  // Tooltips.
  ['background', 'foreground', 7],
]

/** Text with opacity: [text, its opacity, background, minimum contrast]. */
const faded: readonly (readonly [string, number, string, number])[] = [
  // The keys in a tooltip, and reasoning.
  ['background', 0.7, 'foreground', 4.5],
  ...grounds.map((ground) => ['foreground', 0.85, ground, 4.5] as const),
]

/** Highlighted search words, in answers and in the user's bubble: [background, opacity of the highlight]. */
const found = ['background', 'muted'].map((ground) => [ground, 0.24] as const)

/** Hovered buttons with a translucent background: [text, background, its opacity]. */
const pointedAt = [
  ['accent-foreground', 'accent', 0.88],
  ['danger-foreground', 'danger', 0.88],
] as const

/** Muted text on a tinted background: [text, tint, tint's opacity], over each of the three backgrounds. */
const tinted: readonly (readonly [string, string, number])[] = [
  ['accent', 'accent', 0.14],
  ['warning', 'warning', 0.14],
  ['danger', 'danger', 0.14],
  ['success', 'success', 0.14],
  ['muted-foreground', 'foreground', 0.08],
  ['foreground', 'foreground', 0.14],
  // On the active option: the selected one and a destructive one.
  ['accent', 'foreground', 0.07],
  ['danger', 'foreground', 0.07],
  ['muted-foreground', 'foreground', 0.1],
  ['warning', 'warning', 0.06],
  ['muted-foreground', 'warning', 0.08],
  ['muted-foreground', 'accent', 0.08],
  ...pointedAt,
]

/** The bar of the active option, which is no text: WCAG 1.4.11 asks for 3:1. */
const barTint = 0.05

const colour = (palette: Palette, role: string): Rgb => {
  const found = palette.get(role)
  if (!found) throw new Error(`no --${role}`)
  return found
}

describe.each(themes.flatMap((theme) => [[theme, 'light'] as const, [theme, 'dark'] as const]))('%s, %s', (theme, mode) => {
  const palette = paletteOf(theme, mode)

  test('every role is defined', () => {
    expect([...palette.keys()].sort()).toEqual([
      'accent',
      'accent-foreground',
      'background',
      'control',
      'danger',
      'danger-foreground',
      'foreground',
      'muted',
      'muted-foreground',
      'raised',
      'ring',
      'success',
      'surface',
      'warning',
    ])
  })

  test('every pair has the minimum contrast', () => {
    const low = pairs.flatMap(([above, ground, least]) => {
      const ratio = contrastOf(colour(palette, above), colour(palette, ground))
      return ratio < least ? [`${above} on ${ground}: ${ratio.toFixed(2)} < ${least}`] : []
    })
    const lowTinted = grounds.flatMap((ground) =>
      tinted.flatMap(([text, tint, opacity]) => {
        const ratio = contrastOf(colour(palette, text), over(colour(palette, tint), colour(palette, ground), opacity))
        return ratio < 4.5 ? [`${text} on ${tint} at ${opacity} over ${ground}: ${ratio.toFixed(2)} < 4.5`] : []
      }),
    )
    const lowBar = grounds.flatMap((ground) => {
      const ratio = contrastOf(colour(palette, 'ring'), over(colour(palette, 'foreground'), colour(palette, ground), barTint))
      return ratio < 3 ? [`ring of the active option on ${ground}: ${ratio.toFixed(2)} < 3`] : []
    })
    const lowFaded = faded.flatMap(([text, opacity, ground, least]) => {
      const ratio = contrastOf(over(colour(palette, text), colour(palette, ground), opacity), colour(palette, ground))
      return ratio < least ? [`${text} at ${opacity} on ${ground}: ${ratio.toFixed(2)} < ${least}`] : []
    })
    const lowFound = found.flatMap(([ground, opacity]) => {
      const marked = over(colour(palette, 'accent'), colour(palette, ground), opacity)
      const ratio = contrastOf(colour(palette, 'foreground'), marked)
      return ratio < 4.5 ? [`foreground on what was found on ${ground}: ${ratio.toFixed(2)} < 4.5`] : []
    })
    expect([...low, ...lowTinted, ...lowBar, ...lowFaded, ...lowFound]).toEqual([])
  })
})

test('the formula returns known values', () => {
  expect(contrastOf(linearRgbOf(1, 0, 0), linearRgbOf(0, 0, 0))).toBeCloseTo(21, 3)
  // #777 on white is a well-known near miss of WCAG.
  const grey = linearRgbOf(0.56839, 0, 0)
  expect(contrastOf(grey, linearRgbOf(1, 0, 0))).toBeCloseTo(4.48, 1)
})
