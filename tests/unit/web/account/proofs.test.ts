// How somebody can show that an account is theirs, by what an installation offers and what the account came from.
import { expect, test } from 'vitest'
import { proofsOf } from '../../../../web/features/account/proofs.ts'

test.each<[offered: string[], linked: string[], hasMail: boolean, companies: string[]]>([
  [['mail'], [], true, []],
  [['mail', 'google', 'github'], [], true, []],
  [['mail', 'google', 'github'], ['github'], true, ['github']],
  // No mail is sent: the company it came from, or else any that may have proven the same address.
  [['google', 'github'], ['google'], false, ['google']],
  [['google', 'github'], [], false, ['google', 'github']],
  [['google'], ['github'], false, ['google']],
])('offered %s, linked %s', (offered, linked, hasMail, companies) => {
  expect(proofsOf(offered, linked)).toEqual({ hasMail, companies })
})

test('where nobody can sign in, nobody can show anything', () => {
  expect(proofsOf([], ['google'])).toBeNull()
})
