/**
 * Which elements of a page are not read, and where they end. Most end at their end tag, or with what they stand in, of which the platform's
 * parser tells. Some have no need of one (HTML standard, optional tags): they end where the next of their kind begins.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Never read: what is no part of a page's words. */
const skipped = words('script style noscript template svg iframe object select textarea button nav footer aside form dialog')

const isHidden = (element: Element): boolean =>
  element.hasAttribute('hidden') ||
  element.getAttribute('aria-hidden')?.trim().toLowerCase() === 'true' ||
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i.test(element.getAttribute('style') ?? '')

/** A page that hides all of itself shows itself by a script. */
const wholePage: ReadonlySet<string> = new Set(['html', 'body'])

const parts = words('tbody thead tfoot')
const rows = words('tr tbody thead tfoot')
const cells = words('td th tr tbody thead tfoot')
const items = words('li')
const terms = words('dt dd')
/** By the name of an element that may go without an end tag: which next one ends it. */
const endedBy: Readonly<Record<string, ReadonlySet<string>>> = {
  p: words(
    'p address article aside blockquote details div dl dt dd fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol pre section table tbody td tfoot th thead tr ul',
  ),
  li: items,
  dt: terms,
  dd: terms,
  td: cells,
  th: cells,
  tr: rows,
  tbody: parts,
  thead: parts,
  tfoot: parts,
}
/** Inside of these, such an element has others of its kind that do not end it. */
const frames = words('ul ol menu dl table')

const names = new Set([...skipped, ...frames, ...Object.values(endedBy).flatMap((enders) => [...enders])])

/** The elements that have to be told of. */
export const tellingElements = [...names, '[hidden]', '[aria-hidden]', '[style]'].join(', ')

export class UnreadElements {
  /** By their names, the innermost last. */
  readonly #open: { readonly name: string }[] = []

  get isWithin(): boolean {
    return this.#open.length > 0
  }

  /** An element begins. What has to be called when it ends; null for one that is read. */
  begin(element: Element): (() => void) | null {
    const name = element.tagName.toLowerCase()
    this.#endBefore(name)
    const isUnread = skipped.has(name) || (isHidden(element) && !wholePage.has(name))
    if (!isUnread && !(this.isWithin && frames.has(name))) return null
    const open = { name }
    this.#open.push(open)
    return () => {
      const place = this.#open.lastIndexOf(open)
      if (place !== -1) this.#open.splice(place, 1)
    }
  }

  /** Ends what ends by itself here, with everything in it. */
  #endBefore(name: string): void {
    for (let place = this.#open.length - 1; place >= 0; place--) {
      const enders = endedBy[this.#open[place]?.name ?? '']
      if (!enders) return
      if (enders.has(name)) this.#open.splice(place)
    }
  }
}
