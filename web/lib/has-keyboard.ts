/** False on devices with an on-screen keyboard. It covers half of the screen and should open only on request. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine)').matches
