// The words of docs/words.md, in every text that users see.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/lib/paths.ts'

/** Texts that may use another word: specified ones, and names for other things. */
const allowed: ReadonlySet<string> = new Set([
  // The dialog to log out, as specified.
  'web/features/account logout',
  'web/features/account logoutQuestion',
  // The list of messages.
  'web/features/chat/thread conversation',
  // Products of others, and what visitors search for.
  'web/features/billing saveOver70',
  'worker/page description',
])

const otherWords: Readonly<Record<'en' | 'de', RegExp>> = {
  en: /\b(?:premium|chats?|conversations?|logout|sign(?:ed|s)? (?:in|out)|sign-in|workspace|assistant)\b/i,
  de: /\b(?:premium|chats?|unterhaltung(?:en)?|einloggen|ausloggen|arbeitsbereich|assistent)\b/i,
}

const isForSearch = (key: string): boolean => key.endsWith('Words')

async function textsOf(file: string): Promise<readonly (readonly [string, string])[]> {
  const module = (await import(join(rootDir, file))) as Readonly<Record<string, unknown>>
  const texts = module.en ?? module.de
  return Object.entries(texts as Record<string, string>)
}

test.each(['en', 'de'] as const)('the texts in %s use one word for each thing', async (language) => {
  const files = globSync(`{web,worker}/**/texts/${language}.ts`, { cwd: rootDir })
  expect(files.length).toBeGreaterThan(15)
  const found = await Promise.all(
    files.map(async (file) =>
      (await textsOf(file))
        .filter(([key, text]) => !allowed.has(`${file.split('/texts/')[0]} ${key}`) && !isForSearch(key) && otherWords[language].test(text))
        .map(([key, text]) => `${file} ${key}: ${text}`),
    ),
  )
  expect(found.flat()).toEqual([])
})
