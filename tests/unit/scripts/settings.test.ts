// The environment variables that reach the Worker of a local run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSettings, workerBindings } from '../../../scripts/lib/settings.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'parley-settings-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

test('only known names are read, and an empty value is unset', () => {
  const settings = readSettings(
    { HOME: '/home/somebody', SEARCH_API_KEY: '', SEARCH_URL: 'http://127.0.0.1:1' },
    { SEARCH_API_KEY: 'from the file' },
  )
  expect(settings).toEqual({ SEARCH_URL: 'http://127.0.0.1:1', SEARCH_API_KEY: 'from the file' })
})

test('the environment overrides the file', () => {
  expect(readSettings({ MAIL_FROM: 'a' }, { MAIL_FROM: 'b' })).toEqual({ MAIL_FROM: 'a' })
})

test('development signs with a secret that is stable across starts', () => {
  const first = workerBindings({}, stateDir)
  expect(first.ENVIRONMENT).toBe('development')
  expect(first.BETTER_AUTH_SECRET?.length).toBeGreaterThanOrEqual(32)
  expect(workerBindings({}, stateDir)).toEqual(first)
})

test('production gets no generated secret, and the Worker no setting of the page', () => {
  const bindings = workerBindings({ ENVIRONMENT: 'production', VITE_PUBLIC_API_URL: 'https://api.example.com' }, stateDir)
  expect(bindings).toEqual({ ENVIRONMENT: 'production' })
})
