/** OKLCH to sRGB and WCAG contrast, from the CSS Color 4 and WCAG 2.2 formulas. */

export type Rgb = readonly [red: number, green: number, blue: number]

/** Linear-light sRGB, clipped to the gamut as a screen does. */
export function linearRgbOf(lightness: number, chroma: number, hueDegrees: number): Rgb {
  const hue = (hueDegrees * Math.PI) / 180
  const a = chroma * Math.cos(hue)
  const b = chroma * Math.sin(hue)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

const clip = (value: number): number => Math.min(1, Math.max(0, value))

const luminanceOf = ([red, green, blue]: Rgb): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue

export function contrastOf(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** `top` laid over `ground` with this opacity, mixed as browsers do: in gamma-encoded sRGB. */
export function over(top: Rgb, ground: Rgb, opacity: number): Rgb {
  const mix = (index: 0 | 1 | 2) => decode(encode(top[index]) * opacity + encode(ground[index]) * (1 - opacity))
  return [mix(0), mix(1), mix(2)]
}

const encode = (linear: number): number => (linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055)
const decode = (encoded: number): number => (encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4)
