// The platform's storage, D1 and KV, tested with the suites that also run on the in-memory versions (tests/unit/support).
import { runInDurableObject } from 'cloudflare:test'
import { d1Contract } from '../support/contracts/d1.ts'
import { kvContract } from '../support/contracts/kv.ts'
import { storageContract } from '../support/contracts/storage.ts'
import { env, freshId } from './sync-wire.ts'

storageContract('workerd', () => {
  const stub = env.USER_SYNC.getByName(freshId('contract'))
  return (look) => runInDurableObject(stub, (_object, state) => look(state.storage, state))
})
d1Contract('workerd', () => env.DB)
kvContract('workerd', () => {
  if (!env.FIRST_PAGES) throw new Error('the tests have a KV')
  return env.FIRST_PAGES
})
