/** The position of the conversation's view. */
import { type UserPage, untilDrawn } from './user-page.ts'

/** The turn at the upper edge of the view and its offset, after the turns have been measured. */
export const restingPlace = async (user: UserPage): Promise<string> => {
  for (let [before, after] = ['', await atTop(user)]; ; [before, after] = [after, await atTop(user)]) {
    if (before === after) return after
    await untilDrawn(user)
  }
}

/** The turn at the upper edge of the view now. */
export const atTop = ({ conversation }: UserPage): Promise<string> =>
  conversation.evaluate((log) => {
    const edge = log.getBoundingClientRect().top
    const turn = [...log.querySelectorAll('[data-message]')].find((element) => element.getBoundingClientRect().bottom > edge)
    return `${turn?.getAttribute('data-message')} ${Math.round((turn?.getBoundingClientRect().top ?? 0) - edge)}`
  })
