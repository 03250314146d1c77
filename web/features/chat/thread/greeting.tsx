import { greetingAt, greetingsFor } from '../../../../worker/contract/display-names.ts'
import { useMe } from '../../../sync/hooks.ts'

/** Above the composer of a new thread. Takes the upper share of the free height, so that the composer stands a little above the middle. */
export function Greeting() {
  const me = useMe()
  return (
    <div className="flex grow flex-col justify-end px-6 pb-7 text-center max-md:justify-center">
      <h1 className="text-[1.625rem] leading-9 font-medium tracking-tight text-balance">
        {greetingAt(greetingsFor(me), new Date().getHours())}
      </h1>
    </div>
  )
}
