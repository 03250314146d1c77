// The in-memory parts that simulations and unit tests use, tested with the suites that also run on the platform's parts
// (tests/workerd/contracts.test.ts).
import { expect } from 'vitest'
import { d1Contract } from '../../support/contracts/d1.ts'
import { kvContract } from '../../support/contracts/kv.ts'
import { storageContract } from '../../support/contracts/storage.ts'
import { FakeKv } from '../../support/fake-kv.ts'
import { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { memoryObject } from '../../support/node-object/memory-object.ts'
import { installPlatform } from '../../support/node-object/memory-sockets.ts'

installPlatform()

storageContract('the one in memory', () => {
  const object = memoryObject((ctx) => ctx)
  return async (look) => {
    const state = object.awake()
    expect(state.getWebSockets()).toEqual([])
    return look(state.storage, state)
  }
})

const d1 = new MemoryD1()
d1Contract('the one in memory', () => d1.binding())

const kv = new FakeKv()
kvContract('the one in memory', () => kv.namespace)
