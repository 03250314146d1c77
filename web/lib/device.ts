/**
 * A readable description of a session's browser from its user agent. Browsers include the names of others, so the order of the checks
 * matters.
 */
import { libText } from './texts/en.ts'

export type Device = { readonly kind: 'phone' | 'tablet' | 'desktop' | 'program'; readonly name: string }

const browsers: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
]

const systems: readonly (readonly [name: string, mark: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

const nameIn = (list: typeof browsers, userAgent: string) => list.find(([, mark]) => mark.test(userAgent))?.[0]

export function deviceOf(userAgent: string | null | undefined): Device {
  if (!userAgent) return { kind: 'program', name: libText('unknownDevice') }
  const [browser, system] = [nameIn(browsers, userAgent), nameIn(systems, userAgent)]
  if (!browser && !system) return { kind: 'program', name: userAgent.split(/[/\s]/)[0]?.slice(0, 40) || libText('unknownDevice') }
  // Android says "Mobile" on phones only.
  const model = system === 'Android' ? /;\s*([^;)]+?)(?:\s+Build\/[^;)]*)?\)/.exec(userAgent)?.[1] : undefined
  const isTablet = system === 'iPad' || (system === 'Android' && !/\bMobile\b/.test(userAgent))
  const isPhone = system === 'iPhone' || (system === 'Android' && !isTablet)
  const named = model && !/^(?:K|Android\b.*|wv|Mobile|Tablet)$/.test(model) ? model.slice(0, 40) : undefined
  return {
    kind: isPhone ? 'phone' : isTablet ? 'tablet' : 'desktop',
    name: [browser && system ? libText('browserOnSystem', { browser, system }) : (browser ?? system), named].filter(Boolean).join(', '),
  }
}
