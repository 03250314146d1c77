/**
 * Checks the focus ring of a control: its container must not clip it, and its color must have a contrast of 3:1 to the background around it
 * (WCAG 1.4.11). Controls whose focus is shown without an outline are ignored.
 */

/** Runs in the page. `themes`: checks the contrast in each of these themes too. */
export function focusRingCheck({ themes }: { readonly themes: readonly string[] }) {
  /** The lowest contrast of an indicator, WCAG 1.4.11. */
  const minContrast = 3
  /** Half a pixel is a rounding error. */
  const tolerancePx = 0.5
  const root = document.documentElement
  const sides = ['left', 'right', 'top', 'bottom'] as const
  type Box = { readonly [side in (typeof sides)[number]]: number }

  /** The distance from the box to the outer edge of its outline, or null without a visible outline. */
  function reachOf(box: Element): number | null {
    const { outlineStyle, outlineWidth, outlineOffset, opacity } = getComputedStyle(box)
    const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0 && Number(opacity) > 0
    return hasOutline ? Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset) : null
  }

  /** The ancestors that can clip it: not those between an absolutely positioned box and its containing block. */
  function containersOf(box: Element): HTMLElement[] {
    const found: HTMLElement[] = []
    let { position } = getComputedStyle(box)
    for (let element = box.parentElement; element && element !== root && element !== document.body; element = element.parentElement) {
      const style = getComputedStyle(element)
      const containsFixed = style.transform !== 'none' || style.filter !== 'none' || paints(style)
      const isContaining = containsFixed || position === 'static' || position === 'relative' || position === 'sticky'
      if (!isContaining && (position === 'fixed' || style.position === 'static')) continue
      found.push(element)
      position = style.position
    }
    return found
  }

  const paints = ({ contain, contentVisibility }: CSSStyleDeclaration) =>
    /paint|strict|content/.test(contain) || contentVisibility !== 'visible'

  /** The edges of the area to which a container clips its content, and the axes on which it does. */
  function clipOf(container: HTMLElement): { readonly x: boolean; readonly y: boolean; readonly edges: Box } {
    const style = getComputedStyle(container)
    const { left, top } = container.getBoundingClientRect()
    const margin = /hidden|auto|scroll/.test(style.overflowX) ? 0 : Number.parseFloat(/[\d.]+px/.exec(style.overflowClipMargin)?.[0] ?? '0')
    const [x, y] = [left + container.clientLeft, top + container.clientTop]
    return {
      x: style.overflowX !== 'visible' || paints(style),
      y: style.overflowY !== 'visible' || paints(style),
      edges: {
        left: x - margin,
        right: x + container.clientWidth + margin,
        top: y - margin,
        bottom: y + container.clientHeight + margin,
      },
    }
  }

  /** True if content beyond an edge can be scrolled into view. */
  const scrolls = (container: HTMLElement, axis: 'x' | 'y'): boolean => {
    const { overflowX, overflowY } = getComputedStyle(container)
    const isScroller = /auto|scroll/.test(axis === 'x' ? overflowX : overflowY)
    return isScroller && (axis === 'x' ? container.scrollWidth > container.clientWidth : container.scrollHeight > container.clientHeight)
  }

  /** The sides on which the ring is cut off. A side of the box that is scrolled out of view does not count. */
  function clippedSides(box: Element, reach: number): string[] {
    const { left, right, top, bottom } = box.getBoundingClientRect()
    const outer: Box = { left: left - reach, right: right + reach, top: top - reach, bottom: bottom + reach }
    const inner: Box = { left, right, top, bottom }
    const clipped = new Set<string>()
    const visible = new Set(sides)
    for (const container of containersOf(box)) {
      const { x, y, edges } = clipOf(container)
      for (const side of visible) {
        const axis = side === 'left' || side === 'right' ? 'x' : 'y'
        const sign = side === 'left' || side === 'top' ? -1 : 1
        const isBeyond = (edge: number) => sign * (edge - edges[side]) > tolerancePx
        if (scrolls(container, axis) && isBeyond(inner[side])) visible.delete(side)
        else if ((axis === 'x' ? x : y) && isBeyond(outer[side])) clipped.add(side)
      }
    }
    return [...clipped]
  }

  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })

  /** The relative luminance (WCAG) of these colors painted over white, the first one last. */
  function luminanceOf(colors: readonly { readonly color: string; readonly opacity: number }[]): number {
    if (!context) throw new Error('no canvas')
    for (const { color, opacity } of [...colors, { color: 'white', opacity: 1 }].toReversed()) {
      context.globalAlpha = opacity
      context.fillStyle = color
      context.fillRect(0, 0, 1, 1)
    }
    const [r = 0, g = 0, b = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
      const value = byte / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }

  /** Null if a part of the background is an image. */
  function contrastOf(box: Element, reach: number): number | null {
    const backgrounds: { color: string; opacity: number }[] = []
    let opacity = 1
    // A ring inside of the box is surrounded by the background of the box itself.
    for (let element: Element | null = box; element; element = element.parentElement) {
      const { backgroundColor, backgroundImage, opacity: own } = getComputedStyle(element)
      opacity *= Number(own)
      if (element === box && reach > 0) continue
      if (backgroundImage !== 'none') return null
      backgrounds.push({ color: backgroundColor, opacity: Number(own) })
    }
    const ring = { color: getComputedStyle(box).outlineColor, opacity }
    const [around, marked] = [luminanceOf(backgrounds), luminanceOf([ring, ...backgrounds])]
    return (Math.max(around, marked) + 0.05) / (Math.min(around, marked) + 0.05)
  }

  /**
   * Calls `check` in both colour modes and in each theme. Restores the page. Pages without a theme are checked as they are: they follow the
   * system.
   */
  function inEachAppearance(check: (name: string) => void): void {
    if (!/\btheme-/.test(root.className)) {
      check('its mode')
      return
    }
    const own = { classes: root.className, scheme: root.style.colorScheme }
    for (const theme of [null, ...themes]) {
      if (theme !== null) root.className = own.classes.replace(/\btheme-[\w-]+/, `theme-${theme}`)
      for (const mode of ['dark', 'light']) {
        root.style.colorScheme = mode
        check(theme === null ? mode : `${theme}, ${mode}`)
      }
    }
    root.className = own.classes
    root.style.colorScheme = own.scheme
    if (root.getAttribute('style') === '') root.removeAttribute('style')
  }

  return {
    /** The problems of the ring of a focused control, as ends of a sentence. `boxes`: the elements that may have the ring. */
    problemsOf(boxes: readonly Element[]): string[] {
      const problems: string[] = []
      for (const box of new Set(boxes)) {
        const reach = reachOf(box)
        if (reach === null) continue
        const clipped = clippedSides(box, reach)
        if (clipped.length > 1) problems.push(`has a focus ring that is clipped (${clipped.join(', ')})`)
        const low: string[] = []
        inEachAppearance((name) => {
          const contrast = contrastOf(box, reach)
          if (contrast !== null && contrast < minContrast) low.push(`${contrast.toFixed(1)}:1 in ${name}`)
        })
        if (low.length > 0) problems.push(`has a focus ring of low contrast (${low.join('; ')})`)
      }
      return problems
    },
  }
}
