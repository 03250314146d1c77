/** No screen of a German page shows an English text: neither of the catalogues, nor of the server or a library. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { german } from '../../../web/german.ts'
import { untilReplaced } from '../person.ts'
import { setStage } from '../stage.ts'

// The page that does not exist.
const { newUser, newSignedInUser } = setStage({ visits: { locale: 'de-DE' }, ignoredErrors: /status of 404/ })

type Texts = Readonly<Record<string, string>>

const germanTexts = new Set(Object.values(german).flatMap((texts: Texts) => Object.values(texts)))

async function englishTexts(): Promise<ReadonlySet<string>> {
  const files = globSync('{web,worker}/**/texts/en.ts', { cwd: rootDir })
  const modules = await Promise.all(files.map(async (file) => ((await import(join(rootDir, file))) as { en: Texts }).en))
  return new Set(modules.flatMap((texts) => Object.values(texts)).filter((text) => !germanTexts.has(text)))
}

/** Words of nearly every English sentence, and of no German one. */
const englishWord = /\b(?:the|your|you|with|and|of|this|for|are|not|from)\b/i

/** Visible texts, names and descriptions, without the texts of messages. */
const textsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const attributes = ['aria-label', 'aria-description', 'aria-roledescription', 'title', 'placeholder', 'alt']
    const found = [document.title]
    for (const element of document.body.querySelectorAll('*')) {
      if (element.closest('script, style, .md')) continue
      found.push(...attributes.map((name) => element.getAttribute(name) ?? ''))
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.textContent ?? '')
    }
    return found.map((text) => text.trim()).filter((text) => text !== '')
  })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const press = (name: string | RegExp) => (page: Page) => button(page, name).first().click()
const keys = (chord: string) => (page: Page) => page.keyboard.press(chord)

type Step = readonly [path: string, ...steps: ((page: Page) => Promise<unknown>)[]]

async function englishOn(page: Page, walk: readonly Step[]): Promise<Readonly<Record<string, readonly string[]>>> {
  const english = await englishTexts()
  const found: Record<string, readonly string[]> = {}
  for (const [n, [path, ...steps]] of walk.entries()) {
    await page.goto(path)
    await untilReplaced(page)
    await page.waitForLoadState('networkidle')
    for (const step of steps) await step(page)
    if (steps.length > 0)
      await page.locator('[role=dialog], [role=alertdialog], [role=menu], [role=listbox], [data-sonner-toast]').first().waitFor()
    const texts = (await textsOf(page)).filter((text) => english.has(text) || englishWord.test(text))
    if (texts.length > 0) found[`${n} ${path}`] = [...new Set(texts)]
  }
  return found
}

test('a visitor', async () => {
  const { page } = await newUser()
  expect(await englishOn(page, [['/'], ['/login'], ['/logged-out'], ['/magic-link'], ['/account'], ['/no/such/page']])).toEqual({})
})

test('a user with an account', async () => {
  const { page } = await newSignedInUser('german@screens.test')
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Nachricht', exact: true }).fill('/demo chunks=3 delay=0 Gezeiten')
  await button(page, 'Nachricht senden').click()
  await button(page, 'Neu erzeugen').first().waitFor()
  const thread = new URL(page.url()).pathname
  const found = await englishOn(page, [
    [thread],
    [thread, keys('Control+k')],
    [thread, press('Mehr zu dieser Nachricht')],
    [thread, press('Modell')],
    [thread, press(/^Mehr zu Gezeiten/)],
    [thread, press(/^Mehr zu Gezeiten/), (page) => page.getByRole('menuitem', { name: 'Teilen' }).click()],
    [thread, press(/^Mehr zu Gezeiten/), (page) => page.getByRole('menuitem', { name: /umbenennen/ }).click()],
    ['/', keys('Control+k')],
    ['/', (page) => page.locator('body').press('Shift+?')],
    ['/', press(/Credits/)],
    ['/?temporary=true'],
    ...['/account', '/account/subscription', '/account/preferences', '/account/models'].map((path): Step => [path]),
    ...['/account/prompts', '/account/appearance', '/projects', '/archive', '/bookmarks', '/team'].map((path): Step => [path]),
    ['/account', press('Konto löschen')],
    ['/account/prompts', press('Neuer Prompt')],
    ['/projects', press('Neues Projekt')],
  ])
  expect(found).toEqual({})
})
