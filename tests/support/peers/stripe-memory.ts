/** The state of the simulated payment provider in memory, for test peers. Objects are copied on reads and writes, as over a network. */
import { customerOf, type ObjectStore, type SimObject } from '../../../worker/dev/payments/payment-provider.ts'

export function memoryStore(): ObjectStore {
  const objects = new Map<string, SimObject>()
  const byCustomer = new Map<string, Set<string>>()
  return {
    get: async (id) => structuredClone(objects.get(id) ?? null),
    put: async (object) => {
      const customer = customerOf(object)
      if (customer !== null) byCustomer.set(customer, (byCustomer.get(customer) ?? new Set()).add(object.id))
      objects.set(object.id, structuredClone(object))
    },
    list: async (kind, customer) => {
      const ids = customer === undefined ? [...objects.keys()] : [...(byCustomer.get(customer) ?? [])]
      const found = ids.flatMap((id) => objects.get(id) ?? []).filter(({ object }) => object === kind)
      return structuredClone(found.reverse())
    },
  }
}
