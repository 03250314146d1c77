// The ways to confirm an account, by the installation's methods and the account's providers.
import { expect, test } from 'vitest'
import { confirmationMethodsOf } from '../../../../web/lib/sign-in.ts'

test.each<[offered: string[], linked: string[], hasMail: boolean, providers: string[]]>([
  [['mail'], [], true, []],
  [['mail', 'google', 'github'], [], true, []],
  [['mail', 'google', 'github'], ['github'], true, ['github']],
  // Without mail: a linked provider, or else any that may have verified the same address.
  [['google', 'github'], ['google'], false, ['google']],
  [['google', 'github'], [], false, ['google', 'github']],
  [['google'], ['github'], false, ['google']],
])('offered %s, linked %s', (offered, linked, hasMail, providers) => {
  expect(confirmationMethodsOf(offered, linked)).toEqual({ hasMail, providers })
})

test('without login methods there is none', () => {
  expect(confirmationMethodsOf([], ['google'])).toBeNull()
})
