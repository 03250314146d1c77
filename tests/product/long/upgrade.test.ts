// An update and a rollback, with the Worker of the release before and the real data of each other's version: the rule of migrations in
// CONTRIBUTING.md. Without a release before this checkout, a copy of the checkout is used, so that the steps are tested.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrationNames, migrationText } from '../../../scripts/lib/migration-files.ts'
import { migrationsDir, rootDir } from '../../../scripts/lib/paths.ts'
import { newAccount, subscribe } from '../../support/account.ts'
import { type Guest, newGuest } from '../../support/guest.ts'
import { freePort } from '../../support/ports.ts'
import { type Product, startProduct } from '../../support/product.ts'
import { copyOf, type Release, releaseBefore } from '../../support/release-before.ts'

/** A page of one version: its schema and its mutations. */
type Client = typeof import('../attack-wire.ts')
type Asked = { readonly threadId: string; readonly answerId: string }

const made: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-upgrade-'))
  made.push(folder)
  return folder
}

let before: Release
const clientOf = (checkout: string): Promise<Client> => import(/* @vite-ignore */ join(checkout, 'tests/product/attack-wire.ts'))

beforeAll(async () => {
  port = await freePort()
  before = await releaseBefore()
  console.log(`The release before is ${before.name}.`)
})
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

/** The release before, with the migrations of this checkout and these files: what runs during an update and after a rollback. */
function beforeOnThisSchema(added: Readonly<Record<string, string>> = {}): string {
  const copy = copyOf(before)
  made.push(copy)
  rmSync(join(copy, 'migrations'), { recursive: true })
  cpSync(migrationsDir, join(copy, 'migrations'), { recursive: true })
  for (const [name, text] of Object.entries(added)) writeFileSync(join(copy, 'migrations', name), text)
  return copy
}

/** Every start has the same address, so that sessions stay. */
let port: number

/** Starts the checkout on the folder for the duration of the work. */
async function withServer<Result>(stateDir: string, checkout: string, work: (product: Product) => Promise<Result>): Promise<Result> {
  const product = await startProduct({ stateDir, checkout, port })
  try {
    return await work(product)
  } finally {
    await product.stop()
  }
}

/** Sends a message and waits for the answer. */
async function ask(client: Client, user: Guest, changes: Parameters<Client['sendArgs']>[0] = {}): Promise<Asked> {
  const wire = await client.connectRaw(user, { queries: client.queries })
  const args = client.sendArgs(changes)
  expect(await wire.mutate('threads.send', args)).toBeNull()
  const isAnswered = () => wire.rows.get(`thread ${args.threadId}`)?.status === 'ready' && wire.rows.has(`message ${args.answerId}`)
  await wire.until(isAnswered, 'an answer')
  await wire.close()
  return args
}

async function expectThread(client: Client, user: Guest, { threadId, answerId }: Asked): Promise<void> {
  const wire = await client.connectRaw(user, { queries: client.queries })
  await wire.until(() => wire.rows.has(`thread ${threadId}`) && wire.rows.has(`message ${answerId}`), 'the thread with its answer')
  await wire.close()
}

test('keeps every migration of the release before as it was', () => {
  const [dir, names] = [join(before.dir, 'migrations'), migrationNames()]
  const released = readdirSync(dir).filter((name) => name.endsWith('.sql'))
  expect(released.length).toBeGreaterThan(0)
  expect(released.filter((name) => !names.includes(name) || readFileSync(join(dir, name), 'utf8') !== migrationText(name))).toEqual([])
})

test('an update keeps the data of the release before, and a rollback keeps the data of both', async () => {
  const stateDir = newFolder()
  const [old, current] = [await clientOf(before.dir), await clientOf(rootDir)]

  const first = await withServer(stateDir, before.dir, async ({ url }) => {
    const [guest, account] = [await newGuest(url), await newAccount(url, 'ada@upgrade.test')]
    await subscribe(account)
    return { guest, account, ofGuest: await ask(old, guest), ofAccount: await ask(old, account) }
  })

  const { guest, account } = first
  const second = await withServer(stateDir, rootDir, async () => {
    await expectThread(current, guest, first.ofGuest)
    await expectThread(current, account, first.ofAccount)
    return ask(current, guest, { threadId: first.ofGuest.threadId, parentId: first.ofGuest.answerId })
  })

  await withServer(stateDir, beforeOnThisSchema(), async ({ url }) => {
    await expectThread(old, guest, second)
    await ask(old, guest)
    // A login moves the guest's threads to the account: its guards are in the schema, its statements in the Worker.
    const linked = await newAccount(url, account.email, 'node', guest.cookie)
    for (const asked of [first.ofGuest, first.ofAccount, second]) await expectThread(old, linked, asked)
    await ask(old, await newGuest(url))
  })
})

test('a migration that the Worker of the release before cannot use is found', async () => {
  const renames = beforeOnThisSchema({ '9999_renamed.sql': 'alter table message rename column parentId to above;\n' })
  const { openRaw, queries, sendArgs } = await clientOf(before.dir)
  await withServer(newFolder(), renames, async ({ url, output }) => {
    const wire = await openRaw(await newGuest(url), { queries })
    void wire.mutate('threads.send', sendArgs()).catch(() => undefined)
    await expect.poll(() => output.join('\n')).toMatch(/no (?:such column|column named)\b.*\bparentId\b/)
    await wire.close()
  })
})
