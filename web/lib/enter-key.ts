/** Whether Enter sends or adds a new line. Stored per browser, because the choice depends on the keyboard. */

import { withStorage } from './browser-storage.ts'
import { createStore } from './store.ts'

const key = 'parley:enter'

export const enterSends = createStore<boolean>(withStorage((storage) => storage.getItem(key)) !== 'new-line')

export function setEnterSends(sends: boolean): void {
  enterSends.set(sends)
  withStorage((storage) => (sends ? storage.removeItem(key) : storage.setItem(key, 'new-line')))
}
