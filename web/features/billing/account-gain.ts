/** What an account gives a guest, from the limits themselves: of the credits nothing, as long as both have as many. */
import { dayMs } from '../../../worker/contract/access.ts'
import { creditsPerDay, guestKeptMs, storedFileBytes } from '../../../worker/contract/limits.ts'

export function accountGain(): string {
  const { guest, free } = creditsPerDay
  const credits = guest < free ? `As a guest you have ${guest} credits a day.` : `As a guest you have ${guest} credits a day already.`
  const room = Math.floor(storedFileBytes.free / storedFileBytes.guest)
  return `${credits} An account adds models and ${room} times the room for files, and keeps your threads: a guest's go after ${Math.floor(guestKeptMs / dayMs)} days without a visit.`
}
