/** What an account gives a guest, from the limits themselves: of the credits nothing, as long as both have as many. */
import { dayMs } from '../../../worker/contract/access.ts'
import { creditsPerDay, guestKeptMs, storedFileBytes } from '../../../worker/contract/limits.ts'

export function accountGain(): string {
  const { guest, free } = creditsPerDay
  const credits = guest < free ? `As a guest you have ${guest} credits a day. With an account` : `Your ${guest} credits a day stay,`
  const room = Math.floor(storedFileBytes.free / storedFileBytes.guest)
  return `${credits} there is ${room} times the room for files, and your threads are kept: a guest’s go after ${Math.floor(guestKeptMs / dayMs)} days without a visit.`
}
