/** A setting that cannot be used: names the variable, what is wrong with it, and what to change. */
export class BadSetting extends Error {
  constructor(
    readonly variable: string,
    sentence: string,
  ) {
    super(sentence);
    this.name = 'BadSetting';
  }
}
