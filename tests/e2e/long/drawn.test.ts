// Formulas and diagrams: rendered once their source is complete, in the page's colours, by libraries loaded on demand, and inert.
import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { allowedWork, workOf } from '../../../web/ui/streaming-markdown/formula-limits.ts'
import { setStage, show } from '../stage.ts'
import type { UserPage } from '../user-page.ts'

const { openComposer } = setStage()

const fence = (code: string) => `\`\`\`mermaid\n${code}\n\`\`\``

/** Sends a message to which the demo model replies with `text`, and waits for the answer. */
const answered = async (user: UserPage, text: string) => {
  await user.send(`/demo delay=0 say=${text}`)
  await user.untilAnswered()
}

const formulas = String.raw`The roots of $ax^2 + bx + c$ cost neither $5 nor $10:

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

As \(n \to \infty\),
\[
f(x) = \sum_{n=0}^\infty \frac{f^{(n)}(a)}{n!}(x-a)^n = f(a) + f'(a)(x-a) + \frac{f''(a)}{2!}(x-a)^2 + \frac{f'''(a)}{3!}(x-a)^3 + \frac{f''''(a)}{4!}(x-a)^4 + \cdots
\]

| Name | Formula |
|---|---|
| Circle | $\pi r^2$ |

> $$e^{i\pi} + 1 = 0$$

And one with a mistake: $\frac{1$.`

const flowchart = fence(`flowchart LR
  A[Question] --> B{Is it hard?}
  B -->|yes| C[Think for a while]
  B -->|no| D[Answer]
  C --> D
  subgraph Afterwards
    D --> E[(Record)]
  end`)

test('each block has the text direction of its own words, whatever precedes it', async () => {
  const guest = await openComposer()
  await answered(guest, '# Greeting\n\nمرحبا بالعالم\n\n- one\n- اثنان\n\nand on')
  const answer = guest.conversation.getByRole('article', { name: 'Answer' })
  /** The sides of the block without free space. */
  const sidesOf = (block: Locator) =>
    block.evaluate((element) => {
      const words = document.createRange()
      words.selectNodeContents(element)
      const [inner, outer] = [words.getBoundingClientRect(), element.getBoundingClientRect()]
      const sides = { left: inner.left - outer.left, right: outer.right - inner.right }
      return Object.entries(sides).flatMap(([side, distance]) => (distance < 8 ? [side] : []))
    })
  await expect.poll(() => sidesOf(answer.getByRole('heading', { name: 'Greeting' }))).toEqual(['left'])
  await expect.poll(() => sidesOf(answer.getByText('مرحبا'))).toEqual(['right'])
  await expect.poll(() => sidesOf(answer.getByText('one'))).toEqual(['left'])
  await expect.poll(() => sidesOf(answer.getByText('اثنان'))).toEqual(['right'])
  await expect.poll(() => sidesOf(answer.getByText('and on'))).toEqual(['left'])
})

/** The files of the libraries that the page has requested. */
const librariesOf = ({ page }: UserPage) => {
  const fetched = new Set<string>()
  page.on('request', (request) => {
    const name = /\/assets\/(katex|mermaid|mhchem)-/i.exec(request.url())?.[1]
    if (name) fetched.add(name)
  })
  return () => [...fetched].sort()
}

const wear = ({ page }: UserPage, classes: string) =>
  page.evaluate((name) => {
    document.documentElement.className = name
  }, classes)

test('each library loads only when it is needed', async () => {
  const guest = await openComposer()
  const fetched = librariesOf(guest)
  await answered(guest, 'It costs $5, or `$x$`.\n\n```ts\nconst a = 1\n```')
  await guest.page.reload()
  await guest.conversation.getByRole('article', { name: 'Answer' }).getByText('It costs $5').waitFor()
  await guest.page.waitForLoadState('networkidle')
  expect(fetched()).toEqual([])
  await answered(guest, 'So $x = 1$.')
  await guest.conversation.locator('.katex').waitFor()
  expect(fetched()).toEqual(['katex'])
  await answered(guest, String.raw`Burn $\ce{2H2 + O2 -> 2H2O}$ with $\pu{5 kJ}$.`)
  await expect.poll(() => guest.conversation.locator('.katex').count()).toBe(3)
  expect(fetched()).toEqual(['katex', 'mhchem'])
  await answered(guest, flowchart)
  await guest.conversation.getByRole('button', { name: 'Open Flowchart' }).waitFor()
  expect(fetched()).toEqual(['katex', 'mermaid', 'mhchem'])
})

test('formulas and a diagram are rendered, follow the theme, and can be copied as source', async () => {
  const guest = await openComposer()
  await answered(guest, `${formulas}\n\n${flowchart}`)
  const answer = guest.conversation.getByRole('article', { name: 'Answer' })
  await answer.locator('.md-math-block .katex').nth(2).waitFor()
  await expect.poll(() => answer.locator('.katex').count()).toBe(6)
  expect(await answer.locator('math').count()).toBe(6)
  await answer.getByText("(This formula can't be drawn)").waitFor()
  await answer.getByText('cost neither $5 nor $10:').waitFor()

  const diagram = answer.getByRole('button', { name: 'Open Flowchart' }).locator('img')
  await diagram.waitFor()
  const pictures = new Set<string>()
  for (const classes of ['theme-default dark', 'theme-default light', 'theme-rose dark', 'theme-rose light']) {
    await wear(guest, classes)
    await expect.poll(async () => pictures.has((await diagram.getAttribute('src')) ?? '')).toBe(false)
    pictures.add((await diagram.getAttribute('src')) ?? '')
    for (const width of [1440, 390]) {
      await guest.page.setViewportSize({ width, height: 1800 })
      await show(guest, `drawn.${classes.replace(' ', '.')}.${width}`)
    }
    await guest.page.setViewportSize({ width: 1440, height: 900 })
  }

  await answer.getByRole('button', { name: 'Show code' }).click()
  await answer.getByText('subgraph Afterwards').waitFor()
  await answer.getByRole('button', { name: 'Show diagram' }).click()
  await diagram.waitFor()
})

test('code, a table or a formula is a tab stop only while it scrolls', async () => {
  const guest = await openComposer()
  const blocks = (code: string, cell: string, formula: string) =>
    `\`\`\`js\n${code}\n\`\`\`\n\n| ${cell} |\n| ${'--|'.repeat(cell.split('|').length)}\n\n$$\n${formula}\n$$\n\n`
  await guest.send(`/demo delay=0 say=${blocks('1', 'a', 'a')}${blocks('1'.repeat(300), 'column|'.repeat(40), 'abc+'.repeat(80))}`)
  await guest.untilAnswered()
  const answer = guest.conversation.getByRole('article', { name: 'Answer' })
  await answer.locator('.katex').nth(1).waitFor()
  const stops = () =>
    answer.locator('pre, .md-table, .md-math-block').evaluateAll((all) => all.map((box) => box.getAttribute('tabindex') === '0'))
  await expect.poll(stops).toEqual([false, false, false, true, true, true])
  await answer.getByRole('button', { name: 'Wrap lines' }).nth(1).click()
  await expect.poll(stops).toEqual([false, false, false, false, true, true])
})

test('the name of a state is centred in its box, for short and long names', async () => {
  const guest = await openComposer()
  await answered(guest, fence('stateDiagram-v2\n  [*] --> On\n  On --> AStateWithAVeryLongNameOfItsOwn'))
  const offMiddlePx = await guest.conversation
    .getByRole('button', { name: 'Open State diagram' })
    .locator('img')
    .evaluate((image) => {
      const place = document.createElement('div')
      place.innerHTML = decodeURIComponent(image.getAttribute('src')?.replace(/^[^,]*,/, '') ?? '')
      document.body.append(place)
      const middleOf = (element: Element | null) => {
        const { left, right, width } = element?.getBoundingClientRect() ?? new DOMRect()
        if (width === 0) throw new Error('Nothing is there to be measured.')
        return (left + right) / 2
      }
      return [...place.querySelectorAll('.statediagram-state')].map((state) =>
        Math.abs(middleOf(state.querySelector('text')) - middleOf(state.querySelector('rect.basic'))),
      )
    })
  expect(offMiddlePx).toHaveLength(2)
  for (const px of offMiddlePx) expect(px).toBeLessThan(4)
})

test('a diagram with a syntax error stays code and shows the reason', async () => {
  const guest = await openComposer()
  await answered(guest, `${fence('flowchart LR\n  A --> --> B')}\n\n${fence('block-beta\n  space:9999')}`)
  await guest.conversation.getByText("Diagram has an error and can't be drawn").waitFor()
  await guest.conversation.getByText("This kind of diagram isn't supported").waitFor()
  await guest.conversation.getByText('A --> --> B').last().waitFor()
})

const hostileFormulas = String.raw`$\href{javascript:window.hit=1}{a}$ $\url{https://evil.example}$ $\includegraphics{https://evil.example/a.png}$
$\htmlStyle{background:url(https://evil.example)}{b}$ $\htmlClass{katex-error}{c}$ $\htmlData{x=1}{d}$ $\text{<img src=x onerror=window.hit=1>}$
$\def\a{\a\a}\a$ $\rule{99999em}{99999em}$`

const hostileDiagrams = [
  'flowchart LR\n  A --> B\n  click A "javascript:window.hit=1"\n  click B href "https://evil.example"',
  'flowchart LR\n  A["<img src=x onerror=window.hit=1>"] --> B',
  'flowchart LR\n  A["&lt;img src=x onerror=window.hit=1&gt;"] --> B["#60;script#62;window.hit=1#60;/script#62;"]',
  '%%{init: {"securityLevel": "loose", "themeCSS": "@import url(https://evil.example/a.css);"}}%%\nflowchart LR\n  A --> B',
  '---\nconfig:\n  securityLevel: loose\n  htmlLabels: true\n  themeCSS: "* { background: url(https://evil.example/b) }"\n---\nflowchart LR\n  A --> B',
  'flowchart LR\n  A@{ img: "https://evil.example/a.png" } --> B',
  'flowchart LR\n  A --> B\n  style A fill:url(https://evil.example/c)',
  'flowchart LR\n  A:::x --> B\n  classDef x fill:#fff,background:\\75rl(https://evil.example/d)',
  'sequenceDiagram\n  participant A\n  link A: Site @ https://evil.example\n  A->>A: <svg onload=window.hit=1>',
  // Addresses of this product, whose GET can have effects.
  'flowchart LR\n  A@{ "img": "/api/checkout?evil.example" } --> B',
  'flowchart LR\n  A@{ label: &key img, *key : "/api/checkout?evil.example" } --> B',
  'sequenceDiagram\n  participant A\n  properties A: {"icon": "/api/checkout?evil.example"}\n  A->>A: hello',
]

test('formulas and diagrams cannot navigate or execute anything', async () => {
  const guest = await openComposer()
  const foreignRequests: string[] = []
  guest.page.on('request', (request) => {
    if (/evil\.example|\/x$/.test(request.url())) foreignRequests.push(request.url())
  })
  await answered(guest, `${hostileFormulas}\n\n${hostileDiagrams.map(fence).join('\n\n')}`)
  const answer = guest.conversation.getByRole('article', { name: 'Answer' })
  // Each is either an image or shows the reason why not.
  const settled = async () => (await answer.locator('.md-diagram img').count()) + (await answer.locator('.md-code .md-note').count())
  await expect.poll(settled).toBe(hostileDiagrams.length)
  await answer.locator('.katex').first().waitFor()
  expect(await answer.locator('a, script, iframe, object, .katex img, .md-code svg foreignObject').count()).toBe(0)
  expect(await guest.page.evaluate(() => 'hit' in window)).toBe(false)
  expect(foreignRequests).toEqual([])
  const sources = await answer
    .locator('.md-diagram img')
    .evaluateAll((images) => images.map((image) => decodeURIComponent(image.getAttribute('src') ?? '')))
  expect(sources.filter((source) => /evil\.example\/[a-d]|<script|foreignObject/.test(source))).toEqual([])
})

test('content that takes more work than its length suggests is not rendered', async () => {
  const guest = await openComposer()
  const gantt = 'gantt\n  dateFormat YYYY-MM-DD\n  excludes 2001-01-01\n  a: 2000-01-01, 50000000d'
  const arrow = `flowchart LR\n  A ${'-'.repeat(4000)}> B`
  const unclosed = `flowchart LR\n${'%%{'.repeat(1000)}`
  const formula = String.raw`$\def\a{x}\a$`
  await answered(guest, `${[gantt, arrow, unclosed, 'gantt\n  a: 2000-01-01, 5d'].map(fence).join('\n\n')}\n\n${formula} and $x$`)
  await guest.conversation.getByRole('button', { name: 'Open Gantt chart' }).waitFor()
  const refused = guest.conversation.getByText('Diagram is too complex to draw')
  await expect.poll(() => refused.count()).toBe(2)
  await guest.conversation.getByText("Diagram has an error and can't be drawn").waitFor()
  await guest.conversation.getByText("(Formulas that define commands aren't drawn)").waitFor()
  await expect.poll(() => guest.conversation.locator('.katex').count()).toBe(1)
})

test('of many formulas some are rendered, the others on request', async () => {
  const guest = await openComposer()
  // Long, but quick to render.
  const long = `x${' '.repeat(3900)}y`
  await answered(guest, `$x$\n\n${Array(8).fill(`$$\n${long}\n$$`).join('\n\n')}\n\nAnd $z$.`)
  const drawn = guest.conversation.locator('.katex')
  const more = guest.conversation.getByRole('button', { name: 'Draw more' })
  await more.waitFor()
  await expect.poll(() => drawn.count()).toBe(1 + Math.floor((allowedWork - workOf('x')) / workOf(long)))
  expect(await more.count()).toBe(1)
  await more.click()
  await expect.poll(() => drawn.count()).toBe(10)
  await more.waitFor({ state: 'detached' })
  // It unmounts, and mounts again in the same state.
  const path = new URL(guest.page.url()).pathname
  await guest.startThread()
  await guest.threads.locator(`a[href="${path}"]`).click()
  await expect.poll(() => drawn.count()).toBe(10)
  await more.waitFor({ state: 'detached' })
})

test('limits that are wider than their sum are fully visible', async () => {
  const guest = await openComposer()
  await answered(guest, String.raw`Words before $\sum_{\mathclap{1\le i\le j\le n}} x_i$ and after it.`)
  const ink = guest.conversation.locator('.katex-html .clap .mord, .katex-html .clap .mrel')
  await ink.first().waitFor({ state: 'attached' })
  /** For each character, its visibility at the left and right edges. Overflowing ink is between its neighbours. */
  const seen = () =>
    ink.evaluateAll((signs) =>
      signs.map((sign) => {
        const { left, right, top, height } = sign.getBoundingClientRect()
        return [left + 1, right - 1].map((x) => document.elementsFromPoint(x, top + height / 2).includes(sign))
      }),
    )
  await expect.poll(async () => (await seen()).flat().every(Boolean)).toBe(true)
  // The check itself detects clipping.
  await guest.page.addStyleTag({ content: '.md-math .katex-base { clip-path: inset(-0.1em -0.2em) !important }' })
  await expect.poll(async () => (await seen()).flat()).toContain(false)
})

test('a formula covers no surrounding text, and nothing outside of its answer', async () => {
  const guest = await openComposer()
  const moved = String.raw`$\kern{-8em}\colorbox{white}{\text{Log in}}x$`
  await answered(guest, `Words that stand here before it: ${moved}\n\n${moved}`)
  const boxes = guest.conversation.locator('.katex-html .text')
  await boxes.nth(1).waitFor({ state: 'attached' })
  /** The elements that are topmost at their position. */
  const seen = () =>
    boxes.evaluateAll((elements) =>
      elements.map((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        const there = document.elementFromPoint(left + width / 2, top + height / 2)
        if (!there) throw new Error('It is not on the screen.')
        return there.closest('.katex') !== null
      }),
    )
  await expect.poll(seen).toEqual([false, false])
  // The check itself detects missing clipping by the formula and by the answer.
  await guest.page.addStyleTag({ content: '.md-math * { clip-path: none !important }' })
  await expect.poll(seen).toEqual([true, false])
  await guest.page.addStyleTag({ content: '.md { overflow: visible !important }' })
  await expect.poll(seen).toEqual([true, true])
})
