/** The position of the conversation's view. */
import { type Person, untilDrawn } from './person.ts'

/** The turn at the upper edge of the view and its offset, after the turns have been measured. */
export const restingPlace = async (person: Person): Promise<string> => {
  for (let [before, after] = ['', await atTop(person)]; ; [before, after] = [after, await atTop(person)]) {
    if (before === after) return after
    await untilDrawn(person)
  }
}

/** The turn at the upper edge of the view now. */
export const atTop = ({ conversation }: Person): Promise<string> =>
  conversation.evaluate((log) => {
    const edge = log.getBoundingClientRect().top
    const turn = [...log.querySelectorAll('[data-turn]')].find((element) => element.getBoundingClientRect().bottom > edge)
    return `${turn?.getAttribute('data-turn')} ${Math.round((turn?.getBoundingClientRect().top ?? 0) - edge)}`
  })
